import type { LiveRule } from '@/domain/firewall/live-state';
import type { NodeRulePlace, NodeVerdict } from '@/domain/firewall/node-verdict';
import { viewOfLiveRule } from '@/domain/firewall/rule-view';
import type { HostPacketVerdict } from '@/domain/host-firewall';
import { explainHostDecider } from './explain-host-verdict';
import type { HostLive, HostNode } from './read-host-live';

type Decision = HostPacketVerdict['decided_by'];

function listOf({ state }: HostLive, node: HostNode, { scope, name = '' }: NodeRulePlace) {
  if (scope === 'node') return node.live?.rules;
  if (scope === 'datacenter') return state.rules;
  return state.vnets && Object.hasOwn(state.vnets, name) ? state.vnets[name]?.rules : null;
}

/** The rule at a place that a verdict names; null when it is not there any more. */
function ruleAt(live: HostLive, node: HostNode, place: NodeRulePlace): Decision['rule'] {
  const { scope, position, group, group_position } = place;
  const { state, instance } = live;
  const groups = state.groups ?? {};
  const members = group !== undefined && Object.hasOwn(groups, group) ? groups[group] : undefined;
  const stored: readonly LiveRule[] | null | undefined = listOf(live, node, place);
  const found =
    group === undefined
      ? stored?.find(({ pos }) => pos === position)
      : members?.find(({ pos }) => pos === group_position);
  return found
    ? { ...viewOfLiveRule(found, instance, null), scope: scope === 'datacenter' ? 'data_center' : scope }
    : null;
}

/** A verdict about a packet at a node, with the rules it names and an explanation. */
export function hostVerdictView(
  live: HostLive,
  node: HostNode,
  { verdict, decided_by: by }: NodeVerdict,
): HostPacketVerdict {
  const none = { rule: null, group: null, undecided_rules: [] };
  const shared = { ...none, kind: by.kind, explanation: explainHostDecider(by) };
  const decided = (): Decision => {
    switch (by.kind) {
      case 'rule': {
        const rule = ruleAt(live, node, by);
        return { ...shared, detail: rule?.action ?? null, rule, group: by.group ?? null };
      }
      case 'default':
        return { ...shared, detail: by.policy };
      case 'builtin':
        return { ...shared, detail: by.name };
      case 'not_enforced':
        return { ...shared, detail: by.reason };
      case 'unknown':
        return {
          ...shared,
          detail: by.reason,
          undecided_rules: by.places.flatMap((place) => ruleAt(live, node, place) ?? []),
        };
    }
  };
  return { node_id: node.id, node_name: node.name, verdict, decided_by: decided() };
}
