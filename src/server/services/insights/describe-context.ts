import { ruleAt } from '@/domain/firewall/rule-at';
import { contextOf } from '@/domain/flow-context/context-of';
import type { FlowDecider, FlowFacts } from '@/domain/flow-context/flow-context';
import type { InsightContext, InsightDecider, InsightFlow } from '@/domain/insights';
import { explainDecider } from '../firewall/explain-verdict';
import { ruleNamer } from '../firewall/named-rules';
import type { LiveGuestContext } from './live-guest';

/** What is looked at of a flow, and the guests at its ends. */
export type InsightFacts = FlowFacts & {
  readonly source_workload_id: string | null;
  readonly destination_workload_id: string | null;
  readonly source_cidr: string | null;
  readonly destination_cidr: string | null;
};

/** At which end the guest is. Where no end is known to be its, the one inside a known subnet is taken to be. */
function endOf(flow: InsightFacts, workloadId: string): 'source' | 'destination' {
  if (flow.source_workload_id === workloadId) return 'source';
  if (flow.destination_workload_id === workloadId) return 'destination';
  return flow.source_cidr !== null && flow.destination_cidr === null ? 'source' : 'destination';
}

const NO_RULE = {
  position: null,
  group: null,
  group_position: null,
  policy_id: null,
  policy_name: null,
  policy_version: null,
  rule_hash: null,
};

const detailOf = (by: Exclude<FlowDecider, { kind: 'rule' }>): string =>
  by.kind === 'default' ? by.policy : by.kind === 'builtin' ? by.name : by.reason;

const keyOf = (by: FlowDecider): string =>
  by.kind === 'rule' ? `${by.position} ${by.group ?? ''} ${by.group_position ?? ''}` : `${by.kind} ${detailOf(by)}`;

/** Says what becomes of flows at a guest. Each decider is described once. */
export function contextDescriber(live: Omit<LiveGuestContext, 'read_at'>): (flow: InsightFacts) => {
  decision: InsightFlow['decision'];
  context: InsightContext;
} {
  const { guest, world, workload, reach } = live;
  const { show } = ruleNamer(world, reach);
  const names = new Map(world.policies.map(({ id, name }) => [id, name]));
  const known = new Map<string, InsightDecider>();

  const viewOf = (by: FlowDecider): InsightDecider => {
    if (by.kind !== 'rule')
      return { ...NO_RULE, kind: by.kind, detail: detailOf(by), explanation: explainDecider(by, null) };
    const found = ruleAt(guest.state, by);
    const rule = found && show(found.rule, found.group === null ? workload.vmid : null);
    const ours = rule?.owner === 'this_installation' ? rule : null;
    return {
      kind: 'rule',
      detail: rule?.action ?? null,
      explanation: explainDecider(by, rule),
      position: by.position,
      group: by.group ?? null,
      group_position: by.group_position ?? null,
      policy_id: ours?.policy_id ?? null,
      policy_name: ours?.policy_name ?? null,
      policy_version: ours?.policy_version ?? null,
      rule_hash: ours?.rule_hash ?? null,
    };
  };
  const deciderOf = (by: FlowDecider): InsightDecider => {
    const key = keyOf(by);
    let view = known.get(key);
    if (!view) {
      view = viewOf(by);
      known.set(key, view);
    }
    return view;
  };

  return (flow) => {
    const { decision, verdict, decided_by, direction, audit, conflict } = contextOf(
      guest,
      flow,
      endOf(flow, guest.workload_id),
    );
    return {
      decision,
      context: {
        logged: flow.decision !== 'observed',
        verdict,
        direction,
        decided_by: deciderOf(decided_by),
        audit: audit.map((outcome) => ({ ...outcome, policy_name: names.get(outcome.policy_id) ?? '' })),
        conflict,
      },
    };
  };
}
