import { z } from 'zod';
import { DeploymentProblem, GUEST_RESULT_STATUSES } from '../deployments';
import { Impact } from '../impact/impact';
import { VersionComparison } from '../policies';
import { OptionChange } from '../policy-preview';
import { Change } from './change';

/** What a change did at a workload with one policy. Negative waves are tries of its rollback. */
const RecordedResult = z.object({
  wave: z.int(),
  policy_id: z.uuid(),
  policy_name: z.string(),
  policy_version: z.int(),
  status: z.enum(GUEST_RESULT_STATUSES),
  writes: z.int(),
  switches: z.array(OptionChange),
  problems: z.array(DeploymentProblem),
  notes: z.array(DeploymentProblem),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});

const RecordedTest = z.object({
  id: z.uuid(),
  name: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

/** Everything about a change that an auditor needs, in one document. */
export const ChangeRecord = z.object({
  change: Change,
  /** What the edits of policies change, by field and rule. */
  differences: z.array(
    z.object({ policy_id: z.uuid(), name: z.string(), ...VersionComparison.pick({ fields: true, rules: true }).shape }),
  ),
  /** The impact that was acknowledged; null: none was, or it is not visible. */
  impact: z
    .object({
      id: z.uuid(),
      computed_at: z.string().nullable(),
      totals: Impact.shape.totals,
      newly_blocked: z.int().nullable(),
    })
    .nullable(),
  /** Policy tests at the workloads when the change was applied and when it ended; those visible to the reader. */
  tests: z.array(RecordedTest),
  workloads: z.array(
    z.object({
      workload_id: z.uuid(),
      name: z.string(),
      vmid: z.int(),
      results: z.array(RecordedResult),
    }),
  ),
  /** Workloads that are not visible to the reader. */
  hidden_workloads: z.int(),
  audit: z
    .object({
      records: z.array(
        z.object({
          id: z.uuid(),
          seq: z.int().nullable(),
          at: z.string(),
          action: z.string(),
          actor_name: z.string(),
          hash: z.string().nullable(),
        }),
      ),
      /** The end of the audit chain when this was read; null for those who do not see all of it. */
      head: z.object({ seq: z.int(), hash: z.string() }).nullable(),
    })
    .nullable(),
  read_at: z.string(),
});
export type ChangeRecord = z.output<typeof ChangeRecord>;
