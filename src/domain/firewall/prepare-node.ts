import { cidrBounds, parseCidr } from '../net/cidr';
import type { IpAddress } from '../net/ip-address';
import type { FilterImplementation, LiveNode } from './live-state';
import { effectiveNodeOptions } from './node-options';

const ALL_ONES = 0xffffffffn;

/**
 * Broadcast addresses of a node's own IPv4 networks, ascending: the node treats these, and only these, as such. A network of
 * two addresses or one has none. Big integers, as addresses are: to compare one is several times as fast as to convert it.
 * @param networks the node's addresses with their prefix length; null: not known, which gives null
 */
function broadcastAddresses(networks: readonly string[] | null): readonly bigint[] | null {
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

/** What the node adds to the filter of its guests. Null: not known. */
export type PreparedNode = {
  readonly drop_invalid: boolean | null;
  readonly drop_smurfs: boolean | null;
  readonly drop_tcp_flags: boolean | null;
  readonly broadcasts: readonly bigint[] | null;
};

/** What a node adds to the filter of its guests. */
export function prepareNode(node: LiveNode | null, implementation: FilterImplementation): PreparedNode {
  const options = node?.options ? effectiveNodeOptions(node.options) : null;
  // With nftables a node that filters nothing for itself drops nothing invalid for its guests either.
  const drops = options && !options.allow_invalid && (implementation === 'iptables' || options.enable);
  return {
    drop_invalid: drops,
    drop_smurfs: options?.nosmurfs ?? null,
    drop_tcp_flags: options?.tcpflags ?? null,
    broadcasts: broadcastAddresses(node?.networks ?? null),
  };
}
