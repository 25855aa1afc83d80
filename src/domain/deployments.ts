import { z } from 'zod';
import { DEPLOYMENT_KINDS, DEPLOYMENT_RUN_STATUSES } from './choices';
import { createPageSchema, listInput } from './list';
import { ENFORCEMENT_MODES } from './policy/choices';
import type { GuestFilter, PlanStep } from './policy/plan/guest-filter';
import { EDITS } from './policy/plan/restoration';
import { ChangedDifference, DormantView, OptionChange } from './policy-preview';

export const DEPLOYMENT_TRIGGERS = [
  'apply',
  'retry',
  'reconcile',
  'apply_pending',
  'disabled',
  'audit',
  'deleted',
  'moved',
  'change',
  'rollback',
] as const;
export type DeploymentTrigger = (typeof DEPLOYMENT_TRIGGERS)[number];
/** `unchanged`: it was right already, nothing was written. `partial`: some things of it could not be done. */
export const GUEST_RESULT_STATUSES = ['queued', 'running', 'ok', 'unchanged', 'partial', 'failed', 'skipped'] as const;
export type GuestResultStatus = (typeof GUEST_RESULT_STATUSES)[number];

/** What went wrong, and what can be done about it. */
export const DeploymentProblem = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string().nullable(),
  /** With `edited_since`: what another user changed since the first policy was applied. */
  edits: z.array(z.enum(EDITS)).optional(),
  /** How many guests of a deployment it concerns; absent where it is the deployment's own, or one guest's. */
  guests: z.int().optional(),
});
export type DeploymentProblem = z.output<typeof DeploymentProblem>;

/** Numbers of rules. */
export const GuestChanges = z.object({ added: z.int(), removed: z.int(), moved: z.int(), kept: z.int() });
export type GuestChanges = z.output<typeof GuestChanges>;

/** What is stored of the writes planned for a guest; long plans are cut, `total` is how many there were. */
export type StoredPlan = { readonly steps: readonly PlanStep[]; readonly total: number };
/** How the guest was before the first write. */
export type StoredState = GuestFilter;

export const DeploymentGuest = z.object({
  id: z.uuid(),
  deployment_id: z.uuid(),
  workload_id: z.uuid(),
  vmid: z.int(),
  name: z.string(),
  status: z.enum(GUEST_RESULT_STATUSES),
  /** Writes that were sent to the cluster. */
  writes: z.int(),
  /** What was really changed, also by one that failed. */
  changes: GuestChanges.nullable(),
  /** Switches that were written. */
  switches: z.array(OptionChange),
  problems: z.array(DeploymentProblem),
  /** Why it was skipped, the code of its problem: `changed_since_preview`, `guest_missing`, `policy_changed` … */
  reason: z.string().nullable(),
  /** What was stored there without effect and took effect with the switches. Null: nothing was to be written, or not known. */
  dormant: z.array(DormantView).nullable(),
  /** With `changed_since_preview`: what would have been written by now. */
  difference: ChangedDifference.nullable(),
  /** Notes without a failure, such as a firewall that stays on. */
  notes: z.array(DeploymentProblem),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type DeploymentGuest = z.output<typeof DeploymentGuest>;

/** A guest's result with its plan and its previous state, for readers who need the details. */
export const DeploymentGuestDetail = DeploymentGuest.extend({
  plan: z.unknown().nullable(),
  state_before: z.unknown().nullable(),
});
export type DeploymentGuestDetail = z.output<typeof DeploymentGuestDetail>;

/** One apply or cleanup of one policy on one cluster. */
export const Deployment = z.object({
  id: z.uuid(),
  /** The same for all clusters of one request. */
  operation_id: z.uuid(),
  policy_id: z.uuid(),
  policy_name: z.string(),
  policy_version: z.int(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  kind: z.enum(DEPLOYMENT_KINDS),
  trigger: z.enum(DEPLOYMENT_TRIGGERS),
  status: z.enum(DEPLOYMENT_RUN_STATUSES),
  retry_of: z.uuid().nullable(),
  /** The change that it is part of, and the wave; a wave below zero rolls back. */
  change_id: z.uuid().nullable(),
  wave: z.int().nullable(),
  /** Only what a preview showed is written. */
  from_preview: z.boolean(),
  progress_done: z.int(),
  /** Null until the guests are known. */
  progress_total: z.int().nullable(),
  /** Guests by what became of them. */
  guests: z.partialRecord(z.enum(GUEST_RESULT_STATUSES), z.int()),
  writes: z.int(),
  /** Its own problems, then those of its guests, each once. */
  problems: z.array(DeploymentProblem),
  /** What is to be known though nothing failed, as firewalls that stay on. */
  notes: z.array(DeploymentProblem),
  requested_by: z.uuid().nullable(),
  attempts: z.int(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type Deployment = z.output<typeof Deployment>;

export const DeploymentPage = createPageSchema(Deployment);
export const DeploymentGuestPage = createPageSchema(DeploymentGuest);

export const DeploymentListInput = listInput(['created_at'], {
  policy_id: z.uuid('The ID of a policy.').optional(),
  cluster_id: z.uuid('The ID of a cluster.').optional(),
  /** A workload that it wrote to, or was to write to; also one that went to another tenant since. */
  workload_id: z.uuid('The ID of a workload.').optional(),
  operation_id: z.uuid('The ID of an operation.').optional(),
  change_id: z.uuid('The ID of a change.').optional(),
  kind: z.enum(DEPLOYMENT_KINDS, `One of ${DEPLOYMENT_KINDS.join(', ')}.`).optional(),
  status: z.enum(DEPLOYMENT_RUN_STATUSES, `One of ${DEPLOYMENT_RUN_STATUSES.join(', ')}.`).optional(),
});
export type DeploymentListInput = z.output<typeof DeploymentListInput>;

export const DeploymentGuestListInput = listInput(['vmid'], {
  status: z.enum(GUEST_RESULT_STATUSES, `One of ${GUEST_RESULT_STATUSES.join(', ')}.`).optional(),
});
export type DeploymentGuestListInput = z.output<typeof DeploymentGuestListInput>;

const OverrideTests = z.strictObject({
  reason: z
    .string({ error: 'A reason.' })
    .trim()
    .min(3, 'A reason of 3 to 500 characters.')
    .max(500, 'A reason of 3 to 500 characters.')
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.'),
});

export const ApplyInput = z.strictObject({
  /** Compute the desired state of every guest, without querying or changing a cluster. */
  dry_run: z.boolean({ error: 'One of true, false.' }).default(false),
  /**
   * By workload id, the fingerprint that the preview gave. A workload whose live state or planned writes are others by now, or
   * that is not named here, is skipped as `changed_since_preview`. Left out: whatever the policy wants by now is written.
   */
  fingerprints: z.record(z.uuid('The ID of a workload.'), z.string().max(200)).optional(),
  /** Applies although policy tests fail afterwards; needs `policy_test:override`. The reason goes into the audit trail. */
  override_tests: OverrideTests.optional(),
  /** The impact that was looked at. Refused with 409 unless it is done, still true and that of this policy. */
  impact_id: z.uuid('The ID of an impact.').optional(),
  /** How many conversations that impact newly blocks; needed when it newly blocks any. Goes into the audit trail. */
  acknowledge_newly_blocked: z.int({ error: 'A whole number.' }).min(0).optional(),
});
export type ApplyInput = z.output<typeof ApplyInput>;

const AppliedGuest = z.object({
  workload_id: z.uuid(),
  vmid: z.int(),
  name: z.string(),
  /** `planned` in a dry run. */
  status: z.enum([...GUEST_RESULT_STATUSES, 'planned']),
  /** Rules that the policy requires there, in a dry run; else what was done. */
  rules: z.int().optional(),
  writes: z.int(),
  changes: GuestChanges.nullable(),
  switches: z.array(OptionChange),
  problems: z.array(DeploymentProblem),
  reason: z.string().nullable(),
  /** In a dry run by what was last read of the guest. Null: not known, or nothing to be written. */
  dormant: z.array(DormantView).nullable(),
  difference: ChangedDifference.nullable(),
  notes: z.array(DeploymentProblem),
});
export type AppliedGuest = z.output<typeof AppliedGuest>;

const AppliedCluster = z.object({
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  deployment_id: z.uuid().nullable(),
  status: z.enum([...DEPLOYMENT_RUN_STATUSES, 'planned']),
  problems: z.array(DeploymentProblem),
  notes: z.array(DeploymentProblem),
  guests: z.array(AppliedGuest),
});
export type AppliedCluster = z.output<typeof AppliedCluster>;

/** What became of an apply, reconcile, retry or dry run. */
export const ApplyResult = z.object({
  policy_id: z.uuid(),
  policy_version: z.int(),
  policy_mode: z.enum(ENFORCEMENT_MODES),
  dry_run: z.boolean(),
  /** Everything that was asked for is done; in a dry run: could be done. */
  success: z.boolean(),
  /** Something was enforced. Never in a dry run. */
  applied: z.boolean(),
  /** What differs from the desired state, as text. */
  message: z.string().nullable(),
  operation_id: z.uuid().nullable(),
  /** False while work continues; query the deployments again. */
  finished: z.boolean(),
  clusters: z.array(AppliedCluster),
  unresolved: z.array(z.object({ side: z.enum(['source', 'target']), endpoint: z.string(), reason: z.string() })),
});
export type ApplyResult = z.output<typeof ApplyResult>;

/** The impacts that were shown, of some of the policies. As those of an apply: what is not acknowledged is not applied. */
export const ApplyPendingInput = z.strictObject({
  impacts: z
    .array(ApplyInput.pick({ acknowledge_newly_blocked: true }).extend({ policy_id: z.uuid(), impact_id: z.uuid() }))
    .max(200, 'At most 200 impacts.')
    .default([]),
});
export type ApplyPendingInput = z.output<typeof ApplyPendingInput>;

/** Several policies together, each an operation of its own. */
export const ApplyPendingResult = z.object({
  /** The body of POST /changes for those that were not started because they need approval; null: there are none. */
  change: z.object({ title: z.string(), items: z.array(z.unknown()) }).nullable(),
  operations: z.array(
    z.object({
      policy_id: z.uuid(),
      policy_name: z.string(),
      deployment_ids: z.array(z.uuid()),
      /** Why nothing was started for this one. */
      message: z.string().nullable(),
    }),
  ),
});
export type ApplyPendingResult = z.output<typeof ApplyPendingResult>;
