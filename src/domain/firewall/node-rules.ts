import type { CompiledRule } from './compiled-rule';
import { type Doubt, decides, type Step } from './node-steps';
import type { NodeRulePlace } from './node-verdict';
import type { Packet } from './packet';
import type { PreparedNodeChain } from './prepare-node-filter';
import { firstMatch } from './rule-index';

/** What rules of the node and of the data center decide, in this order. @param rejected what rejecting the packet does */
export function* byNodeRules(
  chain: PreparedNodeChain,
  packet: Packet,
  rejected: () => 'drop' | 'reject' | 'unknown',
): Generator<Step> {
  const outcomeOf = ({ action }: CompiledRule) => (action === 'reject' ? rejected() : action);
  const placeOf = ({ place }: CompiledRule) => place as NodeRulePlace;
  const doubts: Doubt[] = [];
  const match = firstMatch(chain.index(packet.direction, packet.source.family), packet, (rule, what) => {
    const unread = rule.place.group === undefined ? 'unknown_node_rules' : 'unknown_group';
    const detail = what === 'packet' || chain.with_interface(rule);
    const doubt = rule.action === 'unknown' ? unread : detail ? 'unknown_packet_detail' : 'unknown_reference';
    doubts.push({ verdict: outcomeOf(rule), doubt, place: placeOf(rule) });
  });
  yield* doubts;
  if (!match) return;
  const place = placeOf(match);
  const verdict = outcomeOf(match);
  if (verdict !== 'unknown') yield decides(verdict, { kind: 'rule', ...place });
  else {
    yield { verdict: 'reject', doubt: 'unknown_node_networks', place };
    yield decides('drop', { kind: 'rule', ...place });
  }
}
