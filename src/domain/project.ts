import { z } from 'zod';
import { MAX_ASSIGNED, PROJECT_SORTS } from './choices';
import { createPageSchema, listInput } from './list';
import { Description, DisplayName, Version } from './tenant';

export const ProjectInput = z.strictObject({
  tenant_id: z.uuid('The ID of a tenant.'),
  name: DisplayName,
  description: Description.default(''),
});
export type ProjectInput = z.output<typeof ProjectInput>;

/** A project stays with its tenant: moving it would hand its workloads to other people. */
export const ProjectUpdate = z.strictObject({
  name: DisplayName.optional(),
  description: Description.optional(),
  version: Version,
});
export type ProjectUpdate = z.output<typeof ProjectUpdate>;

/** Workloads that belong together, inside one tenant. */
export const Project = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  tenant_name: z.string(),
  name: z.string(),
  description: z.string(),
  workloads_total: z.int(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Project = z.output<typeof Project>;

export const ProjectListInput = listInput(PROJECT_SORTS, { tenant_id: z.uuid('The ID of a tenant.').optional() });
export type ProjectListInput = z.output<typeof ProjectListInput>;
export const ProjectPage = createPageSchema(Project);

const WorkloadIds = z
  .array(z.uuid('The ID of a workload.'), 'A list of workload IDs.')
  .min(1, 'Specify at least one workload.')
  .max(MAX_ASSIGNED, `At most ${MAX_ASSIGNED} workloads.`)
  .transform((ids) => [...new Set(ids)]);

/** Gives workloads to a project, or with null to none. All of them or nothing. */
export const WorkloadAssignment = z.strictObject({
  project_id: z.uuid('The ID of a project, or null for none.').nullable(),
  workload_ids: WorkloadIds,
});
export type WorkloadAssignment = z.output<typeof WorkloadAssignment>;

/** How many workloads have another project than before. */
export const WorkloadAssignmentResult = z.object({ changed: z.int() });
export type WorkloadAssignmentResult = z.output<typeof WorkloadAssignmentResult>;

/** Leaves it to the mapping rules again where workloads belong. */
export const FollowRules = z.strictObject({ workload_ids: WorkloadIds });
