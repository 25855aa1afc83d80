import type { LiveState } from '@/domain/firewall/live-state';
import type { FlowSeries } from '@/domain/flow/flow-sums';
import { planRange } from '@/domain/flow/plan-range';
import { CONTEXT_DECISIONS, type ContextDecision } from '@/domain/flow-context/flow-context';
import type {
  ActiveRule,
  InsightContext,
  InsightsDecisions,
  InsightsInput,
  InsightsOverview,
  InsightsTraffic,
} from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { type NamedRule, ruleNamer } from '../../enforcement/guest-firewall/named-rules';
import { viewAuditPolicies } from '../../enforcement/verdicts/audit-policies';
import { readLiveContext } from '../../enforcement/verdicts/live-guest';
import { flowStore } from '../../traffic/storage/flow-store';
import { readSums } from '../flows/series';
import { type SelectedInsights, selectInsights } from './select-insights';

const active = (rule: NamedRule, group: string | null): ActiveRule => ({
  ...rule,
  port: rule.destination_port,
  managed: rule.owner === 'this_installation',
  group,
});

/** All rules that filter a guest, in their order; those of a group follow the reference. Null: could not be read. */
export function listActiveRules(
  state: LiveState,
  vmid: number,
  show: ReturnType<typeof ruleNamer>['show'],
): ActiveRule[] | null {
  const { groups } = state.cluster;
  return (
    state.guest.rules?.flatMap((rule) => {
      const own = active(show(rule, vmid), null);
      const members = rule.type === 'group' && groups && Object.hasOwn(groups, rule.action) ? groups[rule.action] : [];
      return [own, ...(members ?? []).map((member) => active(show(member, null), rule.action))];
    }) ?? null
  );
}

/** What the workload carried in the range, as every page counts it. One query. */
export async function readWorkloadTraffic(selected: SelectedInsights): Promise<InsightsTraffic> {
  const { selection, range, now, retentionHours } = selected;
  const asked = { since: Date.parse(range.since), until: Date.parse(range.until) };
  const plan = planRange(asked, { now, retentionHours, summed: true });
  const counted = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const source = plan.source === 'hours' ? 'hours' : 'minutes';
  return { source, ...counted, ...(await flowStore().insights.traffic({ ...selection, ...counted }, source)) };
}

/**
 * Totals of a workload's flows, its rules as they are now, and the policies in audit mode that target it.
 * @throws AppError `not_found`, also for a workload not visible to the caller; `malformed` for an empty range
 */
export async function readInsightsOverview(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'>,
  input: InsightsInput,
): Promise<InsightsOverview> {
  const selected = await selectInsights(scope, input);
  const { workload, range, traffic_mode, selection } = selected;
  const [live, summary, traffic] = await Promise.all([
    readLiveContext(rules.reach, input.id),
    flowStore().insights.summary(selection),
    readWorkloadTraffic(selected),
  ]);
  const { show } = ruleNamer(live.inputs, rules.reach, live.workload);
  return {
    workload,
    range,
    kept_since: selection.cutoff,
    traffic_mode,
    audit_policies: viewAuditPolicies(live.inputs, input.id, rules.reach),
    active_firewall_rules: listActiveRules(live.guest.state, workload.vmid, show),
    rules_read_at: live.read_at,
    unreadable: live.unreadable,
    summary,
    traffic,
  };
}

/**
 * A workload's traffic over time by what the firewall log said, counted as on every page. At most four queries.
 * @throws AppError `not_found`, also for a workload not visible to the caller; `malformed` for an empty range
 */
export async function readInsightSeries(scope: Scope<'flow:read'>, input: InsightsInput): Promise<FlowSeries> {
  const { selection, range, now, retentionHours } = await selectInsights(scope, input);
  const asked = { since: Date.parse(range.since), until: Date.parse(range.until) };
  return readSums(selection, planRange(asked, { now, retentionHours, summed: true }));
}

type Counts = Omit<InsightsDecisions, 'rules_read_at' | 'kept_since'>;

/** Counts what decides flows, one flow after the other. */
export function countDecisions(): {
  add: (flow: { decision: ContextDecision; context: Pick<InsightContext, 'audit' | 'conflict'> }) => void;
  counts: () => Counts;
} {
  const byContext = new Map<ContextDecision, number>();
  const audit = new Map<string, Counts['audit'][number]>();
  let flows = 0;
  let conflicts = 0;
  return {
    add({ decision, context }) {
      flows += 1;
      byContext.set(decision, (byContext.get(decision) ?? 0) + 1);
      if (context.conflict) conflicts += 1;
      for (const { policy_id, policy_name, verdict } of context.audit) {
        const line = audit.get(policy_id) ?? { policy_id, policy_name, accept: 0, drop: 0, reject: 0 };
        line[verdict] += 1;
        audit.set(policy_id, line);
      }
    },
    counts: () => ({
      flows,
      by_context: CONTEXT_DECISIONS.flatMap((decision) => {
        const count = byContext.get(decision);
        return count === undefined ? [] : [{ decision, flows: count }];
      }),
      conflicts,
      audit: [...audit.values()].sort((a, b) => (a.policy_name < b.policy_name ? -1 : 1)),
    }),
  };
}
