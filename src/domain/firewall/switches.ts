import { settled, undecided } from './possibility';
import type { PreparedGuest } from './prepare-guest';
import type { NotEnforcedReason, Verdict } from './verdict';

/** Nothing that is in force concerns the packet, because this is off. */
export const notEnforced = (reason: NotEnforcedReason): Verdict => settled('accept', { kind: 'not_enforced', reason });

/**
 * A verdict that holds while switches are on, given that some could not be read. A packet that passes the filter passes
 * without it, too.
 * @param innermost the last switch that the verdict depends on: each needs those before it (cluster, nic, guest)
 */
export function withSwitches(
  verdict: Verdict,
  { cluster, nic, guest }: PreparedGuest['switches'],
  innermost: 'cluster' | 'nic' | 'guest',
): Verdict {
  if (verdict.verdict === 'accept') return verdict;
  if (cluster === null) return undecided('unknown_cluster_firewall');
  if (innermost === 'guest' && guest === null) return undecided('unknown_guest_options');
  return innermost !== 'cluster' && nic === null ? undecided('unknown_nic_flag') : verdict;
}
