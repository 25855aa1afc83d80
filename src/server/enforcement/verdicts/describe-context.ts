import { placeKey } from '@/domain/firewall/rule-at';
import { computeFlowContext } from '@/domain/flow-context/compute-flow-context';
import type { FlowContext, FlowDecider, FlowFacts } from '@/domain/flow-context/flow-context';
import type { InsightContext, InsightDecider, InsightFlow } from '@/domain/insights';
import { ruleNamer } from '../guest-firewall/named-rules';
import { deciderDetail, decidingRule, describeDecider } from '../guest-firewall/test-packet';
import { policiesById } from '../policies/policy-inputs';
import type { LiveGuestContext } from './live-guest';

/** What became of a flow at a guest, as text; without what its log line said. */
export type ContextView = Omit<InsightContext, 'logged'>;

/** What is looked at of a flow, and the guests at its ends. */
export type InsightFacts = FlowFacts & {
  readonly source_workload_id: string | null;
  readonly destination_workload_id: string | null;
  readonly source_cidr: string | null;
  readonly destination_cidr: string | null;
};

/** At which end the guest is. Where no end is known to be its, the one inside a known subnet is taken to be. */
function getGuestEnd(flow: InsightFacts, workloadId: string): 'source' | 'destination' {
  if (flow.source_workload_id === workloadId) return 'source';
  if (flow.destination_workload_id === workloadId) return 'destination';
  return flow.source_cidr !== null && flow.destination_cidr === null ? 'source' : 'destination';
}

/** Tells deciders apart. */
function toDeciderKey(by: FlowDecider): string {
  if (by.kind === 'rule') return placeKey(by);
  const list = by.kind === 'default' ? `${by.scope ?? ''} ${by.name ?? ''}` : '';
  return `${by.kind} ${deciderDetail(by)} ${list}`;
}

/** What contexts of a guest are described with. */
export type DescribedGuest = Omit<LiveGuestContext, 'read_at'>;

/** Describes what was found out about flows at a guest. Each decider is described once. */
export function createContextView({
  guest,
  inputs,
  workload,
  reach,
}: DescribedGuest): (found: FlowContext) => ContextView {
  const { show } = ruleNamer(inputs, reach, workload);
  const policies = policiesById(inputs.policies);
  const known = new Map<string, InsightDecider>();

  const getDecider = (by: FlowDecider): InsightDecider => {
    const key = toDeciderKey(by);
    let view = known.get(key);
    if (!view) {
      view = describeDecider(by, decidingRule({ state: guest.state, vmid: workload.vmid, show }, by));
      known.set(key, view);
    }
    return view;
  };

  return ({ verdict, direction, decided_by, audit, conflict }) => ({
    verdict,
    direction,
    decided_by: getDecider(decided_by),
    audit: audit.map((outcome) => ({ ...outcome, policy_name: policies.get(outcome.policy_id)?.name ?? '' })),
    conflict,
  });
}

/** Says what becomes of flows at a guest. */
export function createContextDescriber(live: DescribedGuest): (flow: InsightFacts) => {
  decision: InsightFlow['decision'];
  context: InsightContext;
} {
  const { guest } = live;
  const viewOf = createContextView(live);
  return (flow) => {
    const found = computeFlowContext(guest, flow, getGuestEnd(flow, guest.workload_id));
    return { decision: found.decision, context: { logged: flow.decision !== 'observed', ...viewOf(found) } };
  };
}
