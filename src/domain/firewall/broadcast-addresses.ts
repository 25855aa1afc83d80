import { cidrBounds, parseCidr } from '../net/cidr';
import type { IpAddress } from '../net/ip-address';

const ALL_ONES = 0xffffffffn;

/**
 * Broadcast addresses of a node's own IPv4 networks, ascending: the node treats these, and only these, as such. A network of
 * two addresses or one has none. Big integers, as addresses are: to compare one is several times as fast as to convert it.
 * @param networks the node's addresses with their prefix length; null: not known, which gives null
 */
export function broadcastAddresses(networks: readonly string[] | null): readonly bigint[] | null {
  if (!networks) return null;
  const found = new Set<bigint>();
  for (const text of networks) {
    const cidr = parseCidr(text);
    if (cidr?.address.family === 4 && cidr.prefix < 31) found.add(cidrBounds(cidr).last.value);
  }
  return [...found].sort((a, b) => (a < b ? -1 : 1));
}

function hasSorted(values: readonly bigint[], value: bigint): boolean {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as bigint) < value) low = middle + 1;
    else high = middle;
  }
  return low < values.length && values[low] === value;
}

/**
 * Whether a node takes an IPv4 address for a broadcast address. Where its networks are not known, only addresses that end
 * in 255 may be one: a network smaller than a /24 ends elsewhere too, but then its broadcast address is no host of it, and
 * to doubt every fourth host would make verdicts worthless.
 */
export function isNodeBroadcast({ family, value }: IpAddress, broadcasts: readonly bigint[] | null): boolean | null {
  if (family === 6) return false;
  if (value === ALL_ONES) return true;
  if (broadcasts) return hasSorted(broadcasts, value);
  return BigInt.asUintN(8, value) === 0xffn ? null : false;
}
