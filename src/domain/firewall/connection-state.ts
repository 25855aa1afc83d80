import { ICMP, ICMPV6 } from './data/protocols';
import type { Packet } from './packet';

/** What connection tracking makes of a packet; `untracked` belongs to no connection and is not invalid either. */
export type TrackedState = 'established' | 'new' | 'untracked' | 'invalid' | 'unknown';

/** ICMP requests: only these can open a connection. */
const OPENING_4 = new Set([8, 13, 15, 17]);
const OPENING_6 = new Set([128, 139]);
/** Neighbor discovery and multicast listener messages. */
const UNTRACKED_6 = new Set([130, 131, 132, 133, 134, 135, 136, 143]);

/**
 * The state of a packet: as it is given, except that ICMP which cannot open a connection is invalid when it belongs to
 * none. Without its type, ICMP may be either.
 */
export function trackedState({ state, protocol, source, icmp_type: type }: Packet): TrackedState {
  if (state === 'established' || state === 'related') return 'established';
  if (state === 'invalid') return 'invalid';
  if (protocol !== ICMP && protocol !== ICMPV6) return 'new';
  // Either protocol inside of the other family is invalid.
  if ((protocol === ICMP) !== (source.family === 4)) return 'invalid';
  if (type === undefined) return 'unknown';
  if (protocol === ICMP) return OPENING_4.has(type) ? 'new' : 'invalid';
  if (UNTRACKED_6.has(type)) return 'untracked';
  return OPENING_6.has(type) ? 'new' : 'invalid';
}
