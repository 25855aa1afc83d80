import type { z } from 'zod';
import { PACKET_PROTOCOLS } from '@/domain/choices';
import type { PacketTest } from '@/domain/guest-firewall';

/** The form of a packet: an empty field means "not known". Ports are typed text: a number with steppers is no port. */
export type PacketValues = {
  direction: 'in' | 'out' | 'forward';
  source_ip: string;
  destination_ip: string;
  protocol: (typeof PACKET_PROTOCOLS)[number];
  source_port: string;
  destination_port: string;
  icmp_type: number | null;
  state: PacketTest['state'];
  /** One interface, or all of them. */
  interface: string;
};

/** Means every interface. */
export const ALL_CARDS = 'all';

export const EMPTY_PACKET: PacketValues = {
  direction: 'in',
  source_ip: '',
  destination_ip: '',
  protocol: 'tcp',
  source_port: '',
  destination_port: '',
  icmp_type: null,
  state: 'new',
  interface: ALL_CARDS,
};

/** The packet that a link describes (`packet=in&packet_source=…`); what it lacks is as in an empty form. */
export function packetFromQuery(query: Pick<URLSearchParams, 'get'>): { packet: PacketValues; filled: boolean } {
  const direction = query.get('packet');
  if (direction !== 'in' && direction !== 'out') return { packet: EMPTY_PACKET, filled: false };
  const port = Number(query.get('packet_port') ?? Number.NaN);
  const packet: PacketValues = {
    ...EMPTY_PACKET,
    direction,
    source_ip: query.get('packet_source') ?? '',
    destination_ip: query.get('packet_destination') ?? '',
    protocol: PACKET_PROTOCOLS.find((one) => one === query.get('packet_protocol')) ?? EMPTY_PACKET.protocol,
    destination_port: Number.isInteger(port) && port >= 0 && port <= 65_535 ? String(port) : '',
  };
  return { packet, filled: true };
}

export const hasPorts = (protocol: PacketValues['protocol']): boolean => ['tcp', 'udp', 'sctp'].includes(protocol);

/** Anything but digits is no number, which the schema refuses with the field's message. */
const portField = <K extends 'source_port' | 'destination_port'>(name: K, text: string): { [_ in K]?: number } => {
  const typed = text.trim();
  return typed === '' ? {} : ({ [name]: /^\d+$/.test(typed) ? Number(typed) : Number.NaN } as { [_ in K]?: number });
};

/** What is sent: only what the protocol has, and nothing for what is not known. */
export function toPacket(
  values: PacketValues,
): Omit<z.input<typeof PacketTest>, 'direction'> & Pick<PacketValues, 'direction'> {
  const { direction, source_ip, destination_ip, protocol, state } = values;
  const ports = hasPorts(protocol);
  return {
    direction,
    source_ip,
    destination_ip,
    protocol,
    state,
    ...(ports && portField('source_port', values.source_port)),
    ...(ports && portField('destination_port', values.destination_port)),
    ...(!ports && values.icmp_type !== null && { icmp_type: values.icmp_type }),
    ...(values.interface !== ALL_CARDS && { interface: values.interface }),
  };
}
