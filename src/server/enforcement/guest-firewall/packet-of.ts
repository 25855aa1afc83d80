import type { Packet } from '@/domain/firewall/packet';
import type { PacketTest } from '@/domain/guest-firewall';
import { parseIp } from '@/domain/net/ip-address';

const PROTOCOL_NUMBERS = { tcp: 6, udp: 17, icmp: 1, icmpv6: 58, sctp: 132 } as const;

/** The packet that a test describes. */
export function packetOf(input: PacketTest | Omit<PacketTest, 'interface'>): Packet {
  const { direction, protocol, source_ip, destination_ip, interface: _, ...rest } = { interface: undefined, ...input };
  const [source, destination] = [parseIp(source_ip), parseIp(destination_ip)];
  if (!source || !destination) throw new Error('addresses that were checked cannot be read');
  const number = typeof protocol === 'number' ? protocol : PROTOCOL_NUMBERS[protocol];
  return { ...rest, direction, source, destination, protocol: number };
}
