import { z } from 'zod';
import { ChangeCreate } from '../change/change';
import { ChangeDifference } from '../change/difference';
import { POLICY_TEST_RESULTS } from '../choices';
import { Impact } from '../impact/impact';
import { ManagedBy } from '../managed-source';
import { UNRESOLVED_REASONS } from '../policy/resolve';
import { TEST_UNKNOWN_REASONS } from '../policy-tests/definition';
import { FILE_LISTS, PolicyFile } from './document';

/** Whose objects are read or pruned: those of one tenant, by its name. Left out: all that the caller may see. */
const tenant = z.string().trim().min(1, 'The name of a tenant.').max(100).optional();

export const PolicyFileExportInput = z.strictObject({ tenant });
export type PolicyFileExportInput = z.output<typeof PolicyFileExportInput>;

const entries = z.array(z.record(z.string(), z.unknown()));

/** The stored objects as a document; its form is that of `GET /policy-file/schema.json`. */
export const PolicyFileExport = z.object({
  version: z.literal(1),
  security_groups: entries.optional(),
  policies: entries.optional(),
  policy_tests: entries.optional(),
});
export type PolicyFileExport = z.output<typeof PolicyFileExport>;

export const PolicyFilePlanInput = z.strictObject({
  document: PolicyFile,
  /** Deletes what the document lacks: with `managed_by`, of what this source manages; without, of what no source manages. */
  prune: z.boolean({ error: 'One of true, false.' }).default(false),
  tenant,
  /** Where the document comes from. What it names is managed from there once it is applied. */
  managed_by: ManagedBy.optional(),
});
export type PolicyFilePlanInput = z.output<typeof PolicyFilePlanInput>;

/** What would be done with one object. */
const PlannedOperation = z.object({
  kind: z.enum(FILE_LISTS),
  action: z.enum(['create', 'update', 'delete']),
  name: z.string(),
  tenant: z.string().nullable(),
  project: z.string().nullable(),
  fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
});

/** What applying a document would do. Nothing is stored. */
export const PolicyFilePlan = z.object({
  operations: z.array(PlannedOperation),
  /** Identifies the plan: the same hash does the same. */
  plan_hash: z.string(),
  /** Rules and switches by workload, by what was last read; null: no operation. */
  difference: ChangeDifference.nullable(),
  /** What becomes of observed connections; computed in the background. Null: no operation. */
  impact: Impact.nullable(),
  /** Results of the policy tests after the change: how many, and which do not pass. */
  tests: z.object({
    totals: z.object({ pass: z.int(), fail: z.int(), unknown: z.int() }),
    not_passing: z.array(
      z.object({
        name: z.string(),
        tenant: z.string().nullable(),
        project: z.string().nullable(),
        result: z.enum(POLICY_TEST_RESULTS),
        unknown_reason: z.enum(TEST_UNKNOWN_REASONS).nullable(),
        reason: z.string(),
      }),
    ),
  }),
  /** Endpoints of the applied policies that resolve to nothing, and so produce no rules. */
  unresolved: z.array(z.object({ policy_name: z.string(), endpoint: z.string(), reason: z.enum(UNRESOLVED_REASONS) })),
});
export type PolicyFilePlan = z.output<typeof PolicyFilePlan>;

/** The change that a plan describes. @property plan_hash when given, only this plan */
export const PolicyFileChangeInput = ChangeCreate.omit({ items: true }).extend({
  ...PolicyFilePlanInput.shape,
  plan_hash: z.string().max(200).optional(),
});
export type PolicyFileChangeInput = z.output<typeof PolicyFileChangeInput>;
