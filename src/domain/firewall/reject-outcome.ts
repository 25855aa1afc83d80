import { ICMP, ICMPV6, TCP } from './data/protocols';
import type { FilterImplementation } from './live-state';
import { isMulticast, type Packet } from './packet';
import { isNodeBroadcast } from './prepare-node';

/** Null where the node's networks are not known. */
export function isBroadcast(packet: Packet, broadcasts: readonly bigint[] | null): boolean | null {
  const { destination } = packet;
  if (destination.family === 6) return false;
  // To the node the unspecified address is a broadcast address, too.
  return packet.broadcast === true || destination.value === 0n || isNodeBroadcast(destination, broadcasts);
}

/**
 * What rejecting a guest's packet really does: `reject` only where the sender gets an answer. Nothing is answered that goes
 * to all or comes from a group, nor ICMP, nor what goes to a group, except by a reset of TCP. On the way out only the reset of a TCP connection finds its way back to the
 * guest. The nftables implementation cannot answer on the way in at all.
 */
export function rejectOutcome(
  packet: Packet,
  broadcasts: readonly bigint[] | null,
  implementation: FilterImplementation,
): 'drop' | 'reject' | 'unknown' {
  const { direction, protocol, source, destination } = packet;
  if (direction === 'out' ? protocol !== TCP : implementation === 'nftables') return 'drop';
  if (protocol !== TCP && isMulticast(destination)) return 'drop';
  if (source.family === 6) return protocol === ICMPV6 ? 'drop' : 'reject';
  if (protocol === ICMP || isMulticast(source)) return 'drop';
  const broadcast = isBroadcast(packet, broadcasts);
  return broadcast === null ? 'unknown' : broadcast ? 'drop' : 'reject';
}
