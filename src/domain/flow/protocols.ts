import { protocolNumber } from '../firewall/data/protocols';

/** The protocols of flows that have a name, as agents name them. Debian, and so firewall rules, name some otherwise: its `ipip` is 94. */
const NAMES: Readonly<Record<number, string>> = {
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

/** Name that the flows of a protocol have; its number where it has none. */
export const getFlowProtocolName = (number: number): string => NAMES[number] ?? String(number);

/** Number of the protocol that a flow names; null when it is not known. Flows of exporters used to have the names of Debian. */
export const getFlowProtocolNumber = (name: string): number | null => NUMBERS.get(name) ?? protocolNumber(name);
