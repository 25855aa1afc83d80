import type { LiveRule } from '@/domain/firewall/live-state';
import type { ClusterFirewallFact, UnreadablePart } from '../../firewall-types';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';
import type { InventoryContext } from '../inventory/context';
import { GroupAnswer } from './answer-schemas';
import { appendSegments, readAliases, readRules, readSets, readWholeList } from './read-lists';
import { readNodeFirewalls } from './read-node-firewalls';
import { readStoredOptions } from './read-options';
import { readPart } from './read-part';
import { readRunningVnets } from './read-vnet-firewalls';

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

/**
 * The cluster's switch, what all guests may refer to, and what nodes and VNets have configured. Parts fail on their own;
 * each that is null is named in `unreadable`.
 * @throws ProviderError
 */
export async function readClusterFirewall(context: InventoryContext): Promise<ClusterFirewallFact> {
  const { client } = context;
  const base = apiPath`/cluster/firewall`;
  const unreadable: UnreadablePart[] = [];
  const running = readPart('vnets', readRunningVnets(context, unreadable), unreadable);
  const [options, rules, groups, sets, aliases, nodes, sdn] = await Promise.all([
    readPart('options', readStoredOptions(client, appendSegments(base, 'options'), 'the firewall options'), unreadable),
    readPart('rules', readRules(client, appendSegments(base, 'rules')), unreadable),
    readPart('groups', readGroups(client), unreadable),
    readPart('ipsets', readSets(client, base), unreadable),
    readPart('aliases', readAliases(client, base), unreadable),
    readPart('nodes', readNodeFirewalls(context, running, unreadable), unreadable),
    running,
  ]);
  return {
    // Values above 1 are a trial that ends by itself; while it lasts the firewall filters.
    firewall_enabled: options && Number(options.enable ?? 0) > 0,
    options,
    rules: rules?.items ?? null,
    groups,
    ipsets: sets && Object.fromEntries(Object.entries(sets).map(([name, { entries }]) => [name, entries])),
    aliases,
    nodes,
    vnets: sdn?.vnets ?? null,
    unreadable: unreadable.sort((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1)),
  };
}

/** Parts end in any order; the same state is always written down the same way. */
const toSortKey = ({ part, node = '', vnet = '' }: UnreadablePart) => `${part} ${node} ${vnet}`;
