import { formatCidr, parseCidr, toNetwork } from '../net/cidr';
import { unmapIp } from '../net/ip-address';

/** One or both ends of a flow: an address, a network, or all addresses inside or outside the known subnets. */
export type EndFilter = { kind: 'internal' | 'external' } | { kind: 'network'; cidr: string };

/** Reads `10.0.0.5`, `10.0.0.0/24` (host bits are cleared), `internal` or `external`; null for anything else. `::ffff:10.0.0.0/120` is IPv4. */
export function parseEndFilter(text: string): EndFilter | null {
  if (text === 'internal' || text === 'external') return { kind: text };
  const parsed = parseCidr(text);
  if (!parsed) return null;
  const address = unmapIp(parsed.address);
  const isMapped = address.family < parsed.address.family && parsed.prefix >= 96;
  const network = isMapped ? { address, prefix: parsed.prefix - 96 } : parsed;
  return { kind: 'network', cidr: formatCidr(toNetwork(network)) };
}

const EVERYWHERE: readonly string[] = ['0.0.0.0/0', '::/0'];

/** The subnet of an end as shown to the user; null where the user may know no more than that there is one. */
export const toVisibleCidr = (cidr: string | null): string | null =>
  cidr !== null && EVERYWHERE.includes(cidr) ? null : cidr;

/**
 * How an address is classified: `internal (<CIDR>)` inside a known subnet (the longest wins), `internal` inside one that the
 * reader may not see, else `external`.
 */
export function formatClassification(cidr: string | null): string {
  if (cidr === null) return 'external';
  return toVisibleCidr(cidr) === null ? 'internal' : `internal (${cidr})`;
}

/** The address with its classification: `10.0.0.5 internal (10.0.0.0/24)`, `203.0.113.9 external`. */
export const formatFlowEnd = (address: string, cidr: string | null): string =>
  `${address} ${formatClassification(cidr)}`;

/** Whether a label says that the address is outside. Without a subnet that may be named, only the label tells. */
export const isExternal = (label: string | null): boolean => label?.endsWith('external') ?? true;
