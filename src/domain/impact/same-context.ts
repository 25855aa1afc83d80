import type { AddressSet } from '../firewall/address-set';
import type { PreparedFilter, PreparedGuest } from '../firewall/prepare-guest';
import type { PreparedNode } from '../firewall/prepare-node';
import { equalSpans } from '../firewall/space/spans';

function isSameSet(a: AddressSet | null, b: AddressSet | null): boolean {
  if (a === b || !a || !b) return a === b;
  return a.rest === b.rest && equalSpans(a[4], b[4]) && equalSpans(a[6], b[6]);
}

const nodeKey = ({ broadcasts, ...node }: PreparedNode) => JSON.stringify([broadcasts?.map(String) ?? null, node]);

/** Options that affect packets of one direction. */
function optionsKey({ options }: PreparedGuest, direction: 'in' | 'out'): string {
  if (!options) return '';
  const { dhcp, ndp, radv, policy_in, policy_out, ips } = options;
  return JSON.stringify([dhcp, ndp, radv, direction === 'in' ? [policy_in, ips] : [policy_out]]);
}

function isSameFilter(a: PreparedFilter, b: PreparedFilter, direction: 'in' | 'out'): boolean {
  if (a.implementation !== b.implementation || nodeKey(a.node) !== nodeKey(b.node)) return false;
  if (direction === 'in' && a.implementation === 'iptables' && !isSameSet(a.blacklist, b.blacklist)) return false;
  if (direction === 'out' && !isSameSet(a.ip_filter, b.ip_filter)) return false;
  if (([4, 6] as const).some((family) => (a.refused[family] === null) !== (b.refused[family] === null))) return false;
  const [one, other] = [a.crossing, b.crossing];
  return one?.basis.length === other?.basis.length && (one?.basis ?? []).every((part, at) => part === other?.basis[at]);
}

/** Whether two filters treat packets alike as far as they do not depend on rules of the guest. */
export function hasSameContext(a: PreparedGuest, b: PreparedGuest, direction: 'in' | 'out'): boolean {
  return (
    JSON.stringify([a.enforcement, a.switches]) === JSON.stringify([b.enforcement, b.switches]) &&
    optionsKey(a, direction) === optionsKey(b, direction) &&
    a.filters.length === b.filters.length &&
    a.filters.every((filter, at) => isSameFilter(filter, b.filters[at] as PreparedFilter, direction))
  );
}
