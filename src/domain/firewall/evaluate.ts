import { evaluateIptablesChain } from './iptables-chain';
import { evaluateNftablesChain } from './nftables-chain';
import type { Packet } from './packet';
import type { PreparedFilter, PreparedGuest } from './prepare-guest';
import { undecided, type Verdict } from './verdict';

const evaluateFilter = (guest: PreparedGuest, filter: PreparedFilter, packet: Packet): Verdict =>
  filter.implementation === 'nftables'
    ? evaluateNftablesChain(guest, filter, packet)
    : evaluateIptablesChain(guest, filter, packet);

/** What both implementations do with a packet, where it is not known which of them filters. */
function mergeVerdicts(one: Verdict, other: Verdict): Verdict {
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
  const verdict = evaluateFilter(guest, first, packet);
  return second ? mergeVerdicts(verdict, evaluateFilter(guest, second, packet)) : verdict;
}
