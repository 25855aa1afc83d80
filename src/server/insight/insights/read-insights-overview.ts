import type { InsightsInput, InsightsOverview } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { ruleNamer } from '../../enforcement/guest-firewall/named-rules';
import { viewAuditPolicies } from '../../enforcement/verdicts/audit-policies';
import { readContextNow } from '../../enforcement/verdicts/live-guest';
import { flowStore } from '../../traffic/storage/flow-store';
import { activeRules } from './active-rules';
import { readWorkloadTraffic } from './read-workload-traffic';
import { selectInsights } from './select-insights';

/**
 * Sums of a workload's flows, its rules as they are now, and the policies in audit mode that mean it.
 * @throws AppError `not_found`, also for a workload out of reach; `malformed` for an empty range
 */
export async function readInsightsOverview(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'>,
  input: InsightsInput,
): Promise<InsightsOverview> {
  const selected = await selectInsights(scope, input);
  const { workload, range, traffic_mode, selection } = selected;
  const [live, summary, traffic] = await Promise.all([
    readContextNow(rules.reach, input.id),
    flowStore().insights.summary(selection),
    readWorkloadTraffic(selected),
  ]);
  const { show } = ruleNamer(live.world, rules.reach, live.workload);
  return {
    workload,
    range,
    kept_since: selection.cutoff,
    traffic_mode,
    audit_policies: viewAuditPolicies(live.world, input.id, rules.reach),
    active_firewall_rules: activeRules(live.guest.state, workload.vmid, show),
    rules_read_at: live.read_at,
    unreadable: live.unreadable,
    summary,
    traffic,
  };
}
