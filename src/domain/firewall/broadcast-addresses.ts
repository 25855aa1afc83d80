import { cidrBounds, parseCidr } from '../net/cidr';
import type { IpAddress } from '../net/ip-address';

const ALL_ONES = 0xffffffff;

/**
 * Broadcast addresses of a node's own IPv4 networks, as numbers: the node treats these, and only these, as such. A
 * network of two addresses or one has none.
 * @param networks the node's addresses with their prefix length; null: not known, which gives null
 */
export function broadcastAddresses(networks: readonly string[] | null): ReadonlySet<number> | null {
  if (!networks) return null;
  const found = new Set<number>();
  for (const text of networks) {
    const cidr = parseCidr(text);
    if (cidr?.address.family === 4 && cidr.prefix < 31) found.add(Number(cidrBounds(cidr).last.value));
  }
  return found;
}

/**
 * Whether a node takes an IPv4 address for a broadcast address. Where its networks are not known, only addresses that end
 * in 255 may be one: a network smaller than a /24 ends elsewhere too, but then its broadcast address is no host of it, and
 * to doubt every fourth host would make verdicts worthless.
 */
export function isNodeBroadcast(address: IpAddress, broadcasts: ReadonlySet<number> | null): boolean | null {
  if (address.family === 6) return false;
  const value = Number(address.value);
  if (value === ALL_ONES) return true;
  if (broadcasts) return broadcasts.has(value);
  return (value & 0xff) === 0xff ? null : false;
}
