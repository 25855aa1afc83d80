import { type Cidr, cidrBounds } from '../net/cidr';
import { addressBits, type IpAddress } from '../net/ip-address';

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
export function capacityOf(cidr: Cidr): bigint {
  const { first, last } = usableBounds(cidr);
  return last.value - first.value + 1n;
}
