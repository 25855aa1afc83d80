import type { LiveRule } from '@/domain/firewall/live-state';
import type { ClusterFirewallFact, UnreadablePart } from '../../firewall-types';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';
import { readFirewallEnabled } from '../inventory/read-cluster';
import { GroupAnswer } from './answer-schemas';
import { readAliases, readSets } from './read-objects';
import { readPart } from './read-part';
import { readRules } from './read-rules';
import { readWholeList } from './read-whole-list';

const MAX_GROUPS = 1_000;

async function readGroups(client: PveClient): Promise<Record<string, readonly LiveRule[]>> {
  const names = await readWholeList(client, apiPath`/cluster/firewall/groups`, 'groups', GroupAnswer, MAX_GROUPS);
  const groups: [string, readonly LiveRule[]][] = [];
  for (const { group } of names) {
    const { items } = await readRules(client, apiPath`/cluster/firewall/groups/${group}`);
    groups.push([group, items]);
  }
  return Object.fromEntries(groups);
}

/** The cluster's switch and what all guests may refer to; parts fail on their own. @throws ProviderError */
export async function readClusterFirewall(client: PveClient): Promise<ClusterFirewallFact> {
  const base = apiPath`/cluster/firewall`;
  const unreadable: UnreadablePart[] = [];
  const [firewall_enabled, groups, sets, aliases] = await Promise.all([
    readPart('options', readFirewallEnabled(client), unreadable),
    readPart('groups', readGroups(client), unreadable),
    readPart('ipsets', readSets(client, base), unreadable),
    readPart('aliases', readAliases(client, base), unreadable),
  ]);
  const ipsets = sets && Object.fromEntries(Object.entries(sets).map(([name, { entries }]) => [name, entries]));
  return { firewall_enabled, groups, ipsets, aliases, unreadable };
}
