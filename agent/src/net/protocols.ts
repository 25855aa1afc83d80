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
