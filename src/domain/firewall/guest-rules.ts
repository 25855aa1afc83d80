import type { CompiledRule } from './compiled-rule';
import type { Packet } from './packet';
import type { PreparedFilter, PreparedGuest } from './prepare-guest';
import { rejectOutcome } from './reject-outcome';
import { firstMatch } from './rule-index';
import { type DefiniteVerdict, type Possibility, settled, undecided, type Verdict } from './verdict';

/** Why a group is unknown that was read: iptables cannot load the rule that the place names. */
export const unknownGroupReason = ({ place }: CompiledRule): 'group_cannot_compile' | null =>
  place.group_position === undefined ? null : 'group_cannot_compile';

/** What becomes of a packet that the rule certainly matches. */
export function getRuleOutcome(
  filter: Pick<PreparedFilter, 'node' | 'implementation'>,
  rule: CompiledRule,
  packet: Packet,
): DefiniteVerdict | 'unknown' {
  return rule.action === 'reject' ? rejectOutcome(packet, filter.node.broadcasts, filter.implementation) : rule.action;
}

/** What the guest's own rules decide if nothing before them does; null when none certainly matches. Those that may are added to what is possible. */
export function evaluateGuestRules(
  guest: PreparedGuest,
  filter: PreparedFilter,
  packet: Packet,
  possible: Possibility[],
): Verdict | null {
  const match = firstMatch(filter.index(packet.direction, packet.source.family), packet, (rule, what) => {
    const reason =
      what === 'packet'
        ? 'unknown_packet_detail'
        : rule.action === 'unknown'
          ? (unknownGroupReason(rule) ?? guest.rules_reason)
          : 'unknown_reference';
    possible.push({ verdict: getRuleOutcome(filter, rule, packet), reason, place: rule.place });
  });
  if (!match) return null;
  const outcome = getRuleOutcome(filter, match, packet);
  if (outcome !== 'unknown') return settled(outcome, { kind: 'rule', ...match.place });
  // A rule whose action is not known is never certain to match, so this one rejects.
  possible.push({ verdict: 'unknown', reason: 'unknown_node_networks', place: match.place });
  return undecided(possible[0]?.reason ?? 'unknown_node_networks', possible);
}
