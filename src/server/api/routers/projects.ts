import { z } from 'zod';
import { FollowRules, ProjectInput, ProjectListInput, ProjectUpdate, WorkloadAssignment } from '@/domain/project';
import { AssignmentPreviewInput } from '@/domain/residual-rules';
import { assignWorkloads } from '../../services/administration/assign-workloads';
import { followMappingRules } from '../../services/administration/follow-mapping-rules';
import { previewAssignment } from '../../services/administration/preview-assignment';
import {
  createProject,
  deleteProject,
  listProjects,
  readProject,
  updateProject,
} from '../../services/administration/projects';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const projectsRouter = router({
  list: procedure('project:read')
    .input(ProjectListInput)
    .query(({ ctx, input }) => listProjects(ctx.scope, input)),
  get: procedure('project:read')
    .input(byId)
    .query(({ ctx, input }) => readProject(ctx.scope, input.id)),
  create: procedure('project:write')
    .input(ProjectInput)
    .mutation(({ ctx, input }) => createProject(ctx.scope, input)),
  update: procedure('project:write')
    .input(ProjectUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateProject(ctx.scope, id, changes)),
  delete: procedure('project:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteProject(ctx.scope, input.id)),
  assignWorkloads: procedure('workload:write')
    .input(WorkloadAssignment)
    .mutation(({ ctx, input }) => assignWorkloads(ctx.scope, input)),
  previewAssignment: procedure('workload:write')
    .input(AssignmentPreviewInput)
    .mutation(({ ctx, input }) => previewAssignment(ctx.scope, input)),
  followMappingRules: procedure('workload:write')
    .input(FollowRules)
    .mutation(({ ctx, input }) => followMappingRules(ctx.scope, input.workload_ids)),
});
