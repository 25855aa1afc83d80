import type { CompiledRule } from './compiled-rule';
import { unknownGroupReason } from './guest-rules';
import { type Doubt, type Step, toStep } from './node-steps';
import type { NodeRulePlace } from './node-verdict';
import type { Packet } from './packet';
import type { PreparedNodeChain } from './prepare-node-filter';
import { firstMatch } from './rule-index';

/** What rules of the node and of the data center decide, in this order. @param rejected what rejecting the packet does */
export function* nodeRuleSteps(
  chain: PreparedNodeChain,
  packet: Packet,
  rejected: () => 'drop' | 'reject' | 'unknown',
): Generator<Step> {
  const getRuleOutcome = ({ action }: CompiledRule) => (action === 'reject' ? rejected() : action);
  const getRulePlace = ({ place }: CompiledRule) => place as NodeRulePlace;
  const doubts: Doubt[] = [];
  const match = firstMatch(chain.index(packet.direction, packet.source.family), packet, (rule, what) => {
    const unread =
      unknownGroupReason(rule) ?? (rule.place.group === undefined ? 'unknown_node_rules' : 'unknown_group');
    const detail = what === 'packet' || chain.with_interface(rule);
    const doubt = rule.action === 'unknown' ? unread : detail ? 'unknown_packet_detail' : 'unknown_reference';
    doubts.push({ verdict: getRuleOutcome(rule), doubt, place: getRulePlace(rule) });
  });
  yield* doubts;
  if (!match) return;
  const place = getRulePlace(match);
  const verdict = getRuleOutcome(match);
  if (verdict !== 'unknown') yield toStep(verdict, { kind: 'rule', ...place });
  else {
    yield { verdict: 'reject', doubt: 'unknown_node_networks', place };
    yield toStep('drop', { kind: 'rule', ...place });
  }
}
