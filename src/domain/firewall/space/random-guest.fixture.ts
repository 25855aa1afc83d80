import { hasPorts, ICMP, ICMPV6 } from '../data/protocols';
import type { LiveNic, LiveState } from '../live-state';
import type { Packet } from '../packet';
import { randomNic, randomPacket, randomSource, randomState, withForwarding } from '../random-state.fixture';

/** A random guest with its interface: on either implementation, with and without VNets, parts of it unreadable. */
export function randomGuest(seed: number): { state: LiveState; nic: LiveNic } {
  const random = randomSource(seed + 1);
  const { cluster, node, guest } = randomState(seed);
  const bridge = [undefined, 'vmbr0', 'apps', 'apps', 'apps', 'other'][Math.floor(random() * 6)];
  const state: LiveState = {
    guest,
    node: node && { ...node, rules: random() < 0.5 ? [] : guest.rules },
    cluster: random() < 0.5 ? withForwarding(cluster, random) : cluster,
  };
  return { state, nic: { ...randomNic(random), ...(bridge !== undefined && { bridge }) } };
}

/** A packet without unknown fields, as the first of a connection. */
export function openingPacket(random: () => number): Packet {
  const { direction, source, destination, protocol, ...fields } = randomPacket(random);
  const packet = { direction, source, destination, protocol };
  if (hasPorts(protocol)) {
    return { ...packet, source_port: fields.source_port ?? 1, destination_port: fields.destination_port ?? 1 };
  }
  if (protocol !== ICMP && protocol !== ICMPV6) return packet;
  return { ...packet, icmp_type: fields.icmp_type ?? 8, icmp_code: fields.icmp_code ?? 0 };
}
