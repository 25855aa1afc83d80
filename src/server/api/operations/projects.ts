import { FollowRulesResult } from '@/domain/mapping-rule';
import {
  FollowRules,
  Project,
  ProjectInput,
  ProjectListInput,
  ProjectPage,
  ProjectUpdate,
  WorkloadAssignment,
  WorkloadAssignmentResult,
} from '@/domain/project';
import { AssignmentPreview, AssignmentPreviewInput } from '@/domain/residual-rules';
import { assignWorkloads, followMappingRules } from '../../placement/place';
import { previewAssignment } from '../../placement/preview';
import { createProject, deleteProject, readProject, updateProject } from '../../tenancy/projects';
import { listProjects } from '../../tenancy/queries/projects';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Administration');

export const projectsRouter = router({
  list: query({
    rest: 'GET /projects',
    summary: 'List the projects that are visible to you.',
    access: { permission: 'project:read' },
    input: ProjectListInput,
    output: ProjectPage,
    run: ({ scope, input }) => listProjects(scope.reach, input),
  }),
  create: mutation({
    rest: 'POST /projects',
    summary: 'Create a project.',
    access: { permission: 'project:write' },
    input: ProjectInput,
    output: Project,
    status: 201,
    run: ({ scope, input }) => createProject(scope, input),
  }),
  get: query({
    rest: 'GET /projects/{project_id}',
    summary: 'Get one project.',
    access: { permission: 'project:read' },
    output: Project,
    run: ({ scope, params }) => readProject(scope, params.project_id),
  }),
  update: mutation({
    rest: 'PATCH /projects/{project_id}',
    summary: 'Update a project. If-Match or version prevents lost updates.',
    access: { permission: 'project:write' },
    input: ProjectUpdate,
    output: Project,
    run: ({ scope, params, input }) => updateProject(scope, params.project_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /projects/{project_id}',
    summary: 'Delete a project without workloads.',
    access: { permission: 'project:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteProject(scope, params.project_id, input.version),
  }),
  assignWorkloads: mutation({
    rest: 'POST /workloads/assign',
    summary:
      'Assign workloads to a project, or with project_id null to none. All or none. Rules of a tenant that loses a workload are removed from it.',
    access: { permission: 'workload:write' },
    input: WorkloadAssignment,
    output: WorkloadAssignmentResult,
    run: ({ scope, input }) => assignWorkloads(scope, input),
  }),
  previewAssignment: mutation({
    rest: 'POST /workloads/assign/preview',
    summary: 'Preview what assigning workloads would remove from their firewalls, read now. Nothing is changed.',
    access: { permission: 'workload:write' },
    input: AssignmentPreviewInput,
    output: AssignmentPreview,
    run: ({ scope, input }) => previewAssignment(scope, input),
  }),
  followMappingRules: mutation({
    rest: 'POST /workloads/follow-mapping-rules',
    summary: 'Let the mapping rules assign workloads that were assigned manually. All or none.',
    access: { permission: 'workload:write' },
    input: FollowRules,
    output: FollowRulesResult,
    run: ({ scope, input }) => followMappingRules(scope, input.workload_ids),
  }),
});
