const NAMES: Record<number, string> = {
  1: 'icmp',
  2: 'igmp',
  4: 'ipip',
  6: 'tcp',
  17: 'udp',
  33: 'dccp',
  41: 'ipv6',
  47: 'gre',
  50: 'esp',
  51: 'ah',
  58: 'icmpv6',
  89: 'ospf',
  103: 'pim',
  112: 'vrrp',
  115: 'l2tp',
  132: 'sctp',
  136: 'udplite',
};
const NUMBERS = new Map(Object.entries(NAMES).map(([number, name]) => [name, Number(number)]));
const WITH_PORTS = new Set([6, 17, 33, 132, 136]);

export const IPPROTO = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 } as const;

/** Whether the protocol is ICMP of either family: type and code take the place of ports. */
export const isIcmp = (number: number): boolean => number === IPPROTO.icmp || number === IPPROTO.icmpv6;

/** Shortest header of the protocols whose ports, or type and code, are read. */
const HEADER_BYTES: Readonly<Record<number, number>> = { 1: 4, 6: 20, 17: 8, 33: 12, 58: 4, 132: 12, 136: 8 };

/** How long the protocol's header is at least, 0 for those that are not read. */
export const headerBytes = (number: number): number => HEADER_BYTES[number] ?? 0;

/** Lower-case name of an IP protocol number; the number as text when it has no common name. */
export function protocolName(number: number): string {
  return NAMES[number] ?? String(number);
}

/** Number of a protocol given by name (any case) or number; null when unknown. */
export function protocolNumber(text: string): number | null {
  if (/^\d{1,3}$/.test(text)) return Number(text) < 256 ? Number(text) : null;
  const name = text.toLowerCase();
  return NUMBERS.get(name === 'ipv6-icmp' ? 'icmpv6' : name) ?? null;
}

/** Whether the protocol's header starts with source and destination port. */
export function hasPorts(number: number): boolean {
  return WITH_PORTS.has(number);
}
