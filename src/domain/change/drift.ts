import { z } from 'zod';
import { Impact } from '../impact/impact';
import { createPageSchema, listInput } from '../list';
import { createTimeSchema } from '../time';
import { DRIFT_KINDS, DRIFT_SORTS, DRIFT_STATUSES } from './drift-kinds';
import { ChangeItem, DriftIds } from './items';

/** One difference, stored from when it was first seen until it is gone. */
export const Drift = z.object({
  id: z.uuid(),
  kind: z.enum(DRIFT_KINDS),
  status: z.enum(DRIFT_STATUSES),
  policy_id: z.uuid(),
  policy_name: z.string(),
  workload_id: z.uuid(),
  workload_name: z.string(),
  vmid: z.int(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  /** The rule, set, interface or option that differs, as text: `Rule 2`, `net0`, `input policy`. */
  subject: z.string(),
  /** The policy's rule; null when it concerns none. */
  rule_id: z.uuid().nullable(),
  desired: z.string().nullable(),
  last_applied: z.string().nullable(),
  live: z.string().nullable(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
  /** Who edited it on the hypervisor, where its access log says so; null: not known. */
  changed_by: z.string().nullable(),
  changed_at: z.string().nullable(),
  accepted_until: z.string().nullable(),
  accepted_by: z.string().nullable(),
  accepted_reason: z.string().nullable(),
  /** What the caller may do with it. */
  actions: z.array(z.enum(['reconcile', 'adopt', 'accept', 'withdraw_acceptance'])),
});
export type Drift = z.output<typeof Drift>;

export const DriftAccept = z.strictObject({
  until: createTimeSchema('2027-01-31T00:00:00Z'),
  reason: z.string({ error: 'A reason.' }).trim().min(1, 'A reason.').max(500, 'At most 500 characters.'),
});
export type DriftAccept = z.output<typeof DriftAccept>;

export const DriftReconcileMany = z.strictObject({ drift_ids: DriftIds });
export type DriftReconcileMany = z.output<typeof DriftReconcileMany>;
export const DriftAcceptMany = DriftAccept.extend({ drift_ids: DriftIds });
export type DriftAcceptMany = z.output<typeof DriftAcceptMany>;
export const DriftAccepted = z.object({ accepted: z.int() });

/** What becomes of adopted differences: the policy for all its workloads, or exceptions of those where they are. */
export const DriftAdopt = z.strictObject({ as: z.enum(['policy', 'exception']) });
export type DriftAdopt = z.output<typeof DriftAdopt>;
export const DriftAdoptMany = DriftAdopt.extend({ drift_ids: DriftIds });
export type DriftAdoptMany = z.output<typeof DriftAdoptMany>;

/** What adopting would draft: the edits, and what they do to connections together. */
export const DriftAdoption = z.object({ items: z.array(ChangeItem), impact: Impact });
export type DriftAdoption = z.output<typeof DriftAdoption>;

export const DriftListInput = listInput(DRIFT_SORTS, {
  kind: z.enum(DRIFT_KINDS).optional(),
  status: z.enum(DRIFT_STATUSES).optional(),
  policy_id: z.uuid().optional(),
  workload_id: z.uuid().optional(),
  cluster_id: z.uuid().optional(),
});
export type DriftListInput = z.output<typeof DriftListInput>;
export const DriftPage = createPageSchema(Drift);
