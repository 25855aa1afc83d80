import {
  COVERAGE_DAYS,
  type CoverageRange,
  type PolicyCoverage,
  type WorkloadCoverage,
  type WorkloadCoverageListInput,
} from '@/domain/coverage';
import { DAY_MS } from '@/domain/durations';
import type { Page } from '@/domain/list';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { SecurityRule } from '@/domain/policies';
import { findPresentRule, unchangedSince, type VersionRules } from '@/domain/policy/rule-history';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { notFound } from '../../lib/refusals';
import { narrowToTenant } from '../../tenancy/choose-owner';
import { readConfidence } from '../../traffic/agents/read-confidence';
import type { RuleHitSums } from '../../traffic/storage/coverage-rows';
import { flowStore } from '../../traffic/storage/flow-store';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { findPolicy, listPolicyRules } from '../queries/policies';
import { listVersionRules } from '../queries/policy-versions';
import { listAuditedWorkloadIds } from '../verdicts/audit-policies';

/** The dates (UTC) of the last `count` days, today included, the oldest first. */
export function coverageDays(count: number): string[] {
  const today = clock.now().getTime();
  return Array.from({ length: count }, (_, i) => new Date(today - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10));
}

const later = (a: string, b: string) => (a > b ? a : b);

/** Since when a rule has been monitored for hits: since its last change, but not before monitoring started. */
function getMonitoredSince(
  rule: SecurityRule,
  versions: readonly VersionRules[],
  looked: string | null,
): string | null {
  const unchanged = rule.enabled ? unchangedSince(rule, versions) : null;
  return looked === null || unchanged === null ? null : later(looked, unchanged);
}

/** How far the evidence about workloads reaches since a day, 0 to 1. Six queries. */
async function readEvidenceScores(reach: Reach, ids: readonly string[], from: string): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const window = { since: Date.parse(`${from}T00:00:00.000Z`), until: clock.now().getTime() };
  const { items } = await readConfidence(reach, ids, window);
  return new Map(items.map(({ workload_id, score }) => [workload_id, score]));
}

/**
 * How often each rule of a policy matched a flow at the visible guests, and which rule was never hit although it was
 * monitored. At most thirteen queries when nothing changed since the last call.
 * @throws AppError `not_found`
 */
export async function readPolicyCoverage(
  scope: Scope<'policy:read'>,
  id: string,
  range: CoverageRange,
): Promise<PolicyCoverage> {
  const [policy, rules, firewall, places] = await Promise.all([
    findPolicy(db, scope.reach, id),
    listPolicyRules(db, id),
    readFirewallState(),
    flowStore().hits.places(id),
  ]);
  if (!policy) throw notFound('policy');
  const days = coverageDays(range.days);
  const { inputs } = firewall;
  const visible = [...inputs.workloads.values()].filter((workload) => isWithinReach(workload, scope.reach));
  const seen = new Set(visible.map((workload) => workload.id));
  const guests = [...new Set([...firewall.listPolicyWorkloads(id), ...listAuditedWorkloadIds(inputs, id)])].filter(
    (guest) => seen.has(guest),
  );
  const marks = [...(await flowStore().hits.marksOfWorkloads(guests)).values()];
  const kept = coverageDays(COVERAGE_DAYS)[0] ?? '';
  const looked = marks.map(({ since }) => since).reduce<string | null>((a, b) => (a === null ? b : later(a, b)), null);
  const looked_since = looked && later(looked, `${kept}T00:00:00.000Z`);
  const versions = await listVersionRules(
    id,
    looked_since ?? policy.updated_at,
    places.map((place) => place.policy_version),
  );
  const byVersion = new Map(versions.map((version) => [version.version, version]));
  const known = places.flatMap((place) => {
    const rule = findPresentRule(rules, byVersion.get(place.policy_version), place.rule_position);
    return rule ? [{ ...place, rule_id: rule.id }] : [];
  });
  const sums = await flowStore().hits.ofPolicy({
    policy_id: id,
    from: days[0] ?? kept,
    visible: scope.tenants === 'all' ? 'all' : [...seen],
    rules: known,
    reach: scope.reach,
  });
  const scores = await readEvidenceScores(scope.reach, guests, days[0] ?? kept);
  const bySum = new Map<string | null, RuleHitSums>(sums.map((sum) => [sum.rule_id, sum]));
  const earlier = bySum.get(null);
  return {
    policy_id: id,
    policy_version: policy.version,
    enabled: policy.enabled,
    enforcement_mode: policy.definition.enforcement_mode,
    days,
    guests: { total: guests.length, looked_at: marks.length },
    looked_since,
    evidence_score: guests.length > 0 ? Math.min(...guests.map((guest) => scores.get(guest) ?? 0)) : null,
    counted_until: marks.map(({ until }) => until).sort()[0] ?? null,
    rules: rules.map((rule) => {
      const sum = bySum.get(rule.id);
      return {
        ...rule,
        hits: sum?.hits ?? 0,
        audit_hits: sum?.audit_hits ?? 0,
        last_hit_at: sum?.last_hit_at ?? null,
        guests_hit: sum?.guests_hit ?? 0,
        daily: days.map((day) => sum?.by_day[day] ?? 0),
        never_hit_since: sum || !policy.enabled ? null : getMonitoredSince(rule, versions, looked_since),
      };
    }),
    earlier_rules: earlier
      ? { hits: earlier.hits, audit_hits: earlier.audit_hits, last_hit_at: earlier.last_hit_at }
      : null,
  };
}

/**
 * Visible guests with the share of their flows that rules decide, the least covered first. At most eight queries.
 * @throws AppError `not_found` for a tenant that is not visible
 */
export async function listWorkloadCoverage(
  given: Scope<'flow:read'>,
  input: WorkloadCoverageListInput,
): Promise<Page<WorkloadCoverage>> {
  const scope = await narrowToTenant(given, input.tenant_id);
  const [from = ''] = coverageDays(input.days);
  const page = await flowStore().hits.byWorkload(scope.reach, from, input);
  const scores = await readEvidenceScores(
    scope.reach,
    page.items.map(({ workload_id }) => workload_id),
    from,
  );
  return {
    ...page,
    items: page.items.map((item) => ({ ...item, evidence_score: scores.get(item.workload_id) ?? 0 })),
  };
}
