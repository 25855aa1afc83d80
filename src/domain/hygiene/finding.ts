import { z } from 'zod';
import { createPageSchema, listInput } from '../list';
import { RULE_ACTIONS } from '../policy/choices';
import { UNRESOLVED_REASONS } from '../policy/resolve';
import { HARMS, HYGIENE_KINDS, HYGIENE_SORTS, HYGIENE_UNKNOWNS, type HygieneUnknown } from './kinds';

/** Findings about use are about this many days. */
export const HYGIENE_DAYS = 30;
/** Nothing is claimed about the use of a rule whose workloads were observed for a smaller share of these days. */
export const LEAST_EVIDENCE = 0.99;

/** A packet as text. */
export const HygienePacket = z.object({
  direction: z.enum(['in', 'out']),
  source: z.string(),
  destination: z.string(),
  protocol: z.string(),
  source_port: z.int().nullable(),
  destination_port: z.int().nullable(),
  icmp_type: z.int().nullable(),
});
export type HygienePacket = z.output<typeof HygienePacket>;

/** What decides packets in place of a rule: another rule, the default policy, or a rule that the hypervisor has built in. */
export const HygieneWitness = z.object({
  kind: z.enum(['rule', 'default', 'builtin']),
  /** Null: not visible to the reader. */
  text: z.string().nullable(),
  action: z.enum(RULE_ACTIONS).nullable(),
  /** Of a managed rule; null for an unmanaged rule, and where the policy is not visible to the reader. */
  policy_id: z.uuid().nullable(),
  policy_name: z.string().nullable(),
  rule_position: z.int().nullable(),
  /** Of an unmanaged rule: its position in the list of the workload. */
  position: z.int().nullable(),
});
export type HygieneWitness = z.output<typeof HygieneWitness>;

const Named = z.object({ id: z.uuid(), name: z.string() });

export const HygieneFinding = z.object({
  id: z.uuid(),
  kind: z.enum(HYGIENE_KINDS),
  harm: z.enum(HARMS),
  /** Of a managed rule or policy; null for an unmanaged rule. */
  policy_id: z.uuid().nullable(),
  policy_name: z.string().nullable(),
  policy_version: z.int().nullable(),
  /** Null: the finding is about the whole policy, or about an unmanaged rule. */
  rule_id: z.uuid().nullable(),
  /** Position in the policy, or in the list of the workload for an unmanaged rule; null: about the whole policy. */
  rule_position: z.int().nullable(),
  /** The rule or endpoint as text. */
  subject: z.string(),
  /** Of an unmanaged rule: where it is. */
  workload_id: z.uuid().nullable(),
  workload_name: z.string().nullable(),
  vmid: z.int().nullable(),
  cluster_id: z.uuid().nullable(),
  cluster_name: z.string().nullable(),
  /** Workloads on which it holds, of those on which the rule is placed. */
  workloads_affected: z.int(),
  workloads_total: z.int(),
  /** Some of them. */
  workloads: z.array(Named),
  witnesses: z.array(HygieneWitness),
  /** A packet that a witness decides, and where. */
  example: HygienePacket.nullable(),
  /** Ports, prefixes or members that were never used. */
  unused: z.array(z.string()),
  /** Ports that were used. */
  used: z.array(z.string()),
  /** Why an endpoint resolves to nothing. */
  reason: z.enum(UNRESOLVED_REASONS).nullable(),
  /** In the last days, of a rule that drops or rejects. */
  hits: z.int().nullable(),
  last_hit_at: z.string().nullable(),
  /** Since when the rule is monitored without a hit, or when it expired. */
  since: z.string().nullable(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
  /** `fix`: a change that removes or narrows the rule can be drafted. */
  actions: z.array(z.enum(['fix'])),
});
export type HygieneFinding = z.output<typeof HygieneFinding>;

export const HygieneListInput = listInput(HYGIENE_SORTS, {
  kind: z.enum(HYGIENE_KINDS, { error: `One of ${HYGIENE_KINDS.join(', ')}.` }).optional(),
  harm: z.enum(HARMS, { error: `One of ${HARMS.join(', ')}.` }).optional(),
  policy_id: z.uuid('The ID of a policy.').optional(),
  /** Unmanaged rules of this workload. */
  workload_id: z.uuid('The ID of a workload.').optional(),
  cluster_id: z.uuid('The ID of a cluster.').optional(),
});
export type HygieneListInput = z.output<typeof HygieneListInput>;
export const HygienePage = createPageSchema(HygieneFinding);

/** How much was checked of what the reader sees. */
export const HygieneSummary = z.object({
  /** When the last check ended; null: never. */
  checked_at: z.string().nullable(),
  days: z.int(),
  findings: z.array(z.object({ kind: z.enum(HYGIENE_KINDS), total: z.int() })),
  /** What nothing is claimed about, by reason: policies with some workload or use that is not known. */
  unknown: z.array(z.object({ reason: z.enum(HYGIENE_UNKNOWNS), policies: z.int(), workloads: z.int() })),
});
export type HygieneSummary = z.output<typeof HygieneSummary>;

export const HygieneSummaryInput = z.strictObject({ policy_id: z.uuid('The ID of a policy.').optional() });
export type HygieneSummaryInput = z.output<typeof HygieneSummaryInput>;

/** What a finding is computed to be, before it is stored. */
export type NewFinding = Pick<
  HygieneFinding,
  | 'kind'
  | 'policy_id'
  | 'policy_version'
  | 'rule_id'
  | 'rule_position'
  | 'subject'
  | 'workload_id'
  | 'workloads_affected'
  | 'workloads_total'
> & {
  /** Identifies it among all findings, over time. */
  readonly key: string;
  readonly score: number;
  readonly detail: FindingDetail;
};

/** What of a finding only readers need. Names are looked up when it is read. */
export type FindingDetail = {
  readonly workload_ids?: readonly string[];
  readonly witnesses?: readonly Omit<HygieneWitness, 'policy_name'>[];
  readonly example?: HygienePacket | null;
  readonly unused?: readonly string[];
  readonly used?: readonly string[];
  readonly side?: 'source' | 'target';
  readonly reason?: HygieneFinding['reason'];
  readonly hits?: number;
  readonly last_hit_at?: string | null;
  readonly since?: string | null;
};

/** How much of a policy or of a workload's own list was checked. */
export type HygieneCheck = {
  readonly policy_id: string | null;
  readonly workload_id: string | null;
  /** Workloads by the reason why nothing is claimed there. */
  readonly unknown: Partial<Record<HygieneUnknown, number>>;
};
