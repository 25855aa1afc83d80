import { type Cidr, cidrBounds } from '../net/cidr';
import { addressBits, type IpAddress } from '../net/ip-address';
import type { AddressState } from './ip-address';
import type { Usage } from './subnet';

/**
 * First and last address of a prefix that can be given to a host. IPv4 leaves out network and broadcast address except in
 * /31 (RFC 3021) and /32; IPv6 leaves out the subnet-router anycast address except in /127 (RFC 6164) and /128.
 */
export function usableBounds(cidr: Cidr): { first: IpAddress; last: IpAddress } {
  const { first, last } = cidrBounds(cidr);
  const { family } = first;
  if (cidr.prefix >= addressBits(family) - 1) return { first, last };
  return {
    first: { family, value: first.value + 1n },
    last: family === 4 ? { family, value: last.value - 1n } : last,
  };
}

/** How many addresses of a prefix can be given to hosts. */
export function computeCapacity(cidr: Cidr): bigint {
  const { first, last } = usableBounds(cidr);
  return last.value - first.value + 1n;
}

/** Number of addresses by state. */
export type StateCounts = Record<AddressState, number>;

export const noAddresses = (): StateCounts => ({ active: 0, reserved: 0, dhcp: 0, stale: 0, conflict: 0 });

/** How full a prefix with these addresses is. */
export function computeUsage(cidr: Cidr, counts: StateCounts): Usage {
  const capacity = computeCapacity(cidr);
  const used = counts.active + counts.reserved + counts.dhcp + counts.conflict;
  return { ...counts, used, capacity: capacity.toString(), utilisation: Math.min(1, used / Number(capacity)) };
}
