import type { LiveState } from '@/domain/firewall/live-state';
import { ruleAt } from '@/domain/firewall/rule-at';
import type { FlowDecider } from '@/domain/flow-context/flow-context';
import type { Decider } from '@/domain/flow-verdict';
import { explainDecider } from './explain-verdict';
import type { NamedRule, ruleNamer } from './named-rules';

const NO_RULE = {
  position: null,
  group: null,
  group_position: null,
  policy_id: null,
  policy_name: null,
  policy_version: null,
  rule_hash: null,
};

/** Default policy, name of the built-in rule, or the reason. */
export const deciderDetail = (by: Exclude<FlowDecider, { kind: 'rule' }>): string =>
  by.kind === 'default' ? by.policy : by.kind === 'builtin' ? by.name : by.reason;

/** The rule that decides at a guest, as it is shown; null when something else does. */
export function decidingRule(
  { state, vmid, show }: { state: LiveState; vmid: number; show: ReturnType<typeof ruleNamer>['show'] },
  by: FlowDecider,
): NamedRule | null {
  const found = by.kind === 'rule' ? ruleAt(state, by) : null;
  return found && show(found.rule, found.own ? vmid : null);
}

/** What decides, as every answer about traffic says it. @param rule of `decidingRule` */
export function describeDecider(by: FlowDecider, rule: NamedRule | null): Decider {
  if (by.kind !== 'rule') {
    return { ...NO_RULE, kind: by.kind, detail: deciderDetail(by), explanation: explainDecider(by, null) };
  }
  const ours = rule?.owner === 'this_installation' ? rule : null;
  return {
    kind: 'rule',
    detail: rule?.action ?? null,
    explanation: explainDecider(by, rule),
    position: by.position,
    group: by.group ?? null,
    group_position: by.group_position ?? null,
    ...(by.scope === 'vnet' && { vnet: by.name }),
    // A policy that cannot be opened is only named.
    policy_id: ours?.visibility ? null : (ours?.policy_id ?? null),
    policy_name: ours?.policy_name ?? null,
    policy_version: ours?.policy_version ?? null,
    rule_hash: ours?.rule_hash ?? null,
  };
}
