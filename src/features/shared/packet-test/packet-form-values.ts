import type { z } from 'zod';
import type { PacketTest } from '@/domain/guest-firewall';
import type { PACKET_PROTOCOLS } from '@/domain/packet-fields';

/** The form of a packet: numbers are null while their box is empty, which means "not known". */
export type PacketValues = {
  direction: 'in' | 'out' | 'forward';
  source_ip: string;
  destination_ip: string;
  protocol: (typeof PACKET_PROTOCOLS)[number];
  source_port: number | null;
  destination_port: number | null;
  icmp_type: number | null;
  state: PacketTest['state'];
  /** One of the network cards, or all of them. */
  interface: string;
};

/** Stands for every network card. */
export const ALL_CARDS = 'all';

export const EMPTY_PACKET: PacketValues = {
  direction: 'in',
  source_ip: '',
  destination_ip: '',
  protocol: 'tcp',
  source_port: null,
  destination_port: null,
  icmp_type: null,
  state: 'new',
  interface: ALL_CARDS,
};

export const hasPorts = (protocol: PacketValues['protocol']): boolean => ['tcp', 'udp', 'sctp'].includes(protocol);

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
    ...(ports && values.source_port !== null && { source_port: values.source_port }),
    ...(ports && values.destination_port !== null && { destination_port: values.destination_port }),
    ...(!ports && values.icmp_type !== null && { icmp_type: values.icmp_type }),
    ...(values.interface !== ALL_CARDS && { interface: values.interface }),
  };
}
