import { throughIptables } from './iptables-chain';
import { throughNftables } from './nftables-chain';
import type { Packet } from './packet';
import type { PreparedFilter, PreparedGuest } from './prepare-guest';
import { undecided, type Verdict } from './verdict';

const through = (guest: PreparedGuest, filter: PreparedFilter, packet: Packet): Verdict =>
  filter.implementation === 'nftables'
    ? throughNftables(guest, filter, packet)
    : throughIptables(guest, filter, packet);

/** What both implementations do with a packet, where it is not known which of them filters. */
function inEither(one: Verdict, other: Verdict): Verdict {
  if (one.verdict === other.verdict || one.verdict === 'unknown') return one;
  return other.verdict === 'unknown' ? other : undecided('unknown_implementation');
}

const opens = ({ state }: Packet) => state !== 'established' && state !== 'related';

/**
 * What the hypervisor's packet filter does with a packet at the prepared interface, and what decides it. New rules do
 * not touch established connections, so packets of those are accepted before any rule. Pure; about a microsecond.
 */
export function evaluate(guest: PreparedGuest, packet: Packet): Verdict {
  const { enforcement } = guest;
  if (enforcement.status === 'unknown' && enforcement.reasons[0] === 'node_cannot_compile' && opens(packet)) {
    return undecided('node_cannot_compile');
  }
  const [first, second] = guest.filters;
  const verdict = through(guest, first, packet);
  return second ? inEither(verdict, through(guest, second, packet)) : verdict;
}
