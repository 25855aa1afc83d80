import { z } from 'zod';
import { createPageSchema, listInput } from './list';
import { SecurityRule } from './policies';
import { ENFORCEMENT_MODES } from './policy/choices';

/** Whether a rule decided, or would have. */
export const COVERAGE_MODES = ['enforced', 'audit'] as const;
export type CoverageMode = (typeof COVERAGE_MODES)[number];

/** How many days coverage is kept. */
export const COVERAGE_DAYS = 90;

const days = z.coerce
  .number({ error: `A number from 1 to ${COVERAGE_DAYS}.` })
  .int(`A whole number from 1 to ${COVERAGE_DAYS}.`)
  .min(1, `A number from 1 to ${COVERAGE_DAYS}.`)
  .max(COVERAGE_DAYS, `A number from 1 to ${COVERAGE_DAYS}.`)
  .default(7);

/** The last days, today (UTC) included. */
export const CoverageRange = z.strictObject({ days });
export type CoverageRange = z.output<typeof CoverageRange>;

const hits = {
  /** Conversations about which it decided and that began in the range. */
  hits: z.int(),
  /** Conversations about which it would have decided when its policy was in audit mode. */
  audit_hits: z.int(),
  /** The newest packet in either mode, as long as coverage is kept. */
  last_hit_at: z.string().nullable(),
};

export const RuleCoverage = SecurityRule.extend({
  ...hits,
  /** Guests at which it was hit in the range. */
  guests_hit: z.int(),
  /** `hits` and `audit_hits` of each of `days`. */
  daily: z.array(z.int()),
  /** Since when the rule is monitored without a hit; null when there was a hit, or when it was not monitored. */
  never_hit_since: z.string().nullable(),
});
export type RuleCoverage = z.output<typeof RuleCoverage>;

/** How far the rules of a policy are hit by real traffic. */
export const PolicyCoverage = z.object({
  policy_id: z.uuid(),
  policy_version: z.int(),
  enabled: z.boolean(),
  enforcement_mode: z.enum(ENFORCEMENT_MODES),
  /** Dates (UTC), the oldest first. */
  days: z.array(z.string()),
  /** Guests where the policy has a place, and those whose node has an agent that reports. */
  guests: z.object({ total: z.int(), looked_at: z.int() }),
  /** Since when all of the guests that are looked at are; null when none is. */
  looked_since: z.string().nullable(),
  /** The lowest score of its guests' visibility in these days; null without a guest. A rule without hits says as much as this. */
  evidence_score: z.number().nullable(),
  /** Flows stored before are counted, at each of these guests. */
  counted_until: z.string().nullable(),
  rules: z.array(RuleCoverage),
  /** What rules were hit that the policy does not have any more, or has with another content; null when none was. */
  earlier_rules: z.object(hits).nullable(),
});
export type PolicyCoverage = z.output<typeof PolicyCoverage>;

const counts = {
  /** Conversations that began in the range and have this guest at an end; the five below add up to it. */
  flows: z.int(),
  by_policy: z.int(),
  /** An unmanaged rule: no policy of Fabric wrote it. */
  by_other_rule: z.int(),
  /** No live rule, but one of a policy in audit mode. */
  by_audit: z.int(),
  by_default: z.int(),
  /** Nothing decides, or it is not known what. */
  observed: z.int(),
  /** Of them, those about which the firewall's log says something else than its rules. */
  conflicts: z.int(),
};

/** By what the traffic of a guest is decided. */
export const WorkloadCoverage = z.object({
  workload_id: z.uuid(),
  workload_name: z.string(),
  vmid: z.int(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  ...counts,
  /** Share of `flows` that a rule decides, 0 to 1; null without flows. */
  covered_share: z.number().nullable(),
  last_flow_at: z.string().nullable(),
  /** Since when the flows of its node are evaluated; null: no agent reports, so nothing is known. */
  looked_since: z.string().nullable(),
  /** Share of the time range that was observed, times the share that was delivered (`score` of its visibility), 0 to 1. */
  evidence_score: z.number(),
});
export type WorkloadCoverage = z.output<typeof WorkloadCoverage>;

export const WorkloadCoverageListInput = listInput(['workload_name', 'flows', 'covered_share'], {
  days,
  workload_id: z.uuid().optional(),
  cluster_id: z.uuid().optional(),
  tenant_id: z.uuid('The ID of a tenant.').optional(),
});
export type WorkloadCoverageListInput = z.output<typeof WorkloadCoverageListInput>;
export const WorkloadCoveragePage = createPageSchema(WorkloadCoverage);
