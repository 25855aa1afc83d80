import type { GuestFirewallFact, UnreadablePart } from '../../firewall-types';
import type { GuestRef } from '../../types';
import type { PveClient } from '../client';
import { type ApiPath, apiPath } from '../http/encode';
import { readAliases, readRules, readSets } from './read-lists';
import { readOptions } from './read-options';
import { readPart } from './read-part';

/** Below this hang a guest's rules, options, sets and aliases. */
export const guestFirewallPath = ({ node, kind, vmid }: GuestRef): ApiPath =>
  apiPath`/nodes/${node}/${kind}/${vmid}/firewall`;

/** Everything that is stored for one guest's filter; parts fail on their own. @throws ProviderError */
export async function readGuestFirewall(client: PveClient, guest: GuestRef): Promise<GuestFirewallFact> {
  const { node, kind, vmid } = guest;
  const base = guestFirewallPath(guest);
  const unreadable: UnreadablePart[] = [];
  const [rules, options, ipsets, aliases] = await Promise.all([
    readPart('rules', readRules(client, apiPath`/nodes/${node}/${kind}/${vmid}/firewall/rules`), unreadable),
    readPart('options', readOptions(client, guest), unreadable),
    readPart('ipsets', readSets(client, base), unreadable),
    readPart('aliases', readAliases(client, base), unreadable),
  ]);
  return { rules, options, ipsets, aliases, unreadable };
}
