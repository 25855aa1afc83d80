import { type Cidr, cidrBounds } from '../net/cidr';
import type { IpAddress } from '../net/ip-address';
import type { AddressSet, AddressSpan } from './address-set';
import type { PreparedGuest } from './prepare-guest';

/** Where rules of the hypervisor's own tell addresses apart: multicast, what lies above it, and broadcast to all. */
const OWN_CUTS = { 4: [1n, 0xe0000000n, 0xf0000000n, 0xffffffffn], 6: [0xffn << 120n] } as const;

function cutSpans(cuts: Set<bigint>, spans: readonly AddressSpan[]): void {
  for (const { first, last } of spans) {
    cuts.add(first);
    cuts.add(last + 1n);
  }
}

/**
 * The addresses at which the verdict may change when only one address of a packet changes, ascending: from one cut to the next
 * every address is treated alike. Covers the guest's rules and those in front of them. Where the node's networks are not
 * known, single addresses inside of a part may be broadcast addresses of the node all the same.
 * @param end which address of the packet changes
 */
export function addressCuts(
  guest: PreparedGuest,
  direction: 'in' | 'out',
  family: 4 | 6,
  end: 'source' | 'destination',
): bigint[] {
  const cuts = new Set<bigint>(OWN_CUTS[family]);
  for (const filter of guest.filters) {
    const sets: (AddressSet | null)[] = filter.index(direction, family).rules.map((rule) => rule[end]);
    if (end === 'source') sets.push(direction === 'in' ? filter.blacklist : filter.ip_filter);
    for (const set of sets) if (set) cutSpans(cuts, set[family]);
    for (const address of family === 4 ? (filter.node.broadcasts ?? []) : []) {
      cutSpans(cuts, [{ first: address, last: address }]);
    }
  }
  return [...cuts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/**
 * One address of each part that cuts divide a network into: what holds for all of these holds for the whole network.
 * @param cuts ascending
 */
export function representatives(cidr: Cidr, cuts: readonly bigint[]): IpAddress[] {
  const { first, last } = cidrBounds(cidr);
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle] as bigint) <= first.value) low = middle + 1;
    else high = middle;
  }
  const found = [first];
  for (let at = low; at < cuts.length && (cuts[at] as bigint) <= last.value; at++) {
    found.push({ family: first.family, value: cuts[at] as bigint });
  }
  return found;
}
