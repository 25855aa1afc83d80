import { z } from 'zod';
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
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Administration';
const params = z.object({ project_id: z.uuid() });

const list = defineRoute({
  method: 'GET',
  path: '/projects',
  summary: 'Projects within reach.',
  tag,
  access: { permission: 'project:read' },
  query: ProjectListInput,
  response: { status: 200, schema: ProjectPage },
  handler: ({ scope, query }) => listProjects(scope, query),
});

const create = defineRoute({
  method: 'POST',
  path: '/projects',
  summary: 'Create a project.',
  tag,
  access: { permission: 'project:write' },
  body: ProjectInput,
  response: { status: 201, schema: Project },
  handler: ({ scope, body }) => createProject(scope, body),
});

const read = defineRoute({
  method: 'GET',
  path: '/projects/{project_id}',
  summary: 'One project.',
  tag,
  access: { permission: 'project:read' },
  params,
  response: { status: 200, schema: Project },
  handler: ({ scope, params }) => readProject(scope, params.project_id),
});

const update = defineRoute({
  method: 'PATCH',
  path: '/projects/{project_id}',
  summary: 'Change a project. If-Match or version guards against lost updates.',
  tag,
  access: { permission: 'project:write' },
  params,
  body: ProjectUpdate,
  response: { status: 200, schema: Project },
  handler: ({ scope, params, body, request }) =>
    updateProject(scope, params.project_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/projects/{project_id}',
  summary: 'Delete a project without workloads.',
  tag,
  access: { permission: 'project:write' },
  params,
  response: { status: 204 },
  handler: ({ scope, params }) => deleteProject(scope, params.project_id),
});

const assign = defineRoute({
  method: 'POST',
  path: '/workloads/assign',
  summary:
    'Give workloads to a project, or with project_id null to none. All of them or nothing. Rules of a tenant that loses a workload are removed from it.',
  tag,
  access: { permission: 'workload:write' },
  body: WorkloadAssignment,
  response: { status: 200, schema: WorkloadAssignmentResult },
  handler: ({ scope, body }) => assignWorkloads(scope, body),
});

const previewAssign = defineRoute({
  method: 'POST',
  path: '/workloads/assign/preview',
  summary: 'What assigning workloads would remove from their firewalls, read now. Nothing is changed.',
  tag,
  access: { permission: 'workload:write' },
  body: AssignmentPreviewInput,
  response: { status: 200, schema: AssignmentPreview },
  handler: ({ scope, body }) => previewAssignment(scope, body),
});

const follow = defineRoute({
  method: 'POST',
  path: '/workloads/follow-mapping-rules',
  summary: 'Leave it to the mapping rules where workloads belong that were assigned by hand. All of them or nothing.',
  tag,
  access: { permission: 'workload:write' },
  body: FollowRules,
  response: { status: 200, schema: FollowRulesResult },
  handler: ({ scope, body }) => followMappingRules(scope, body.workload_ids),
});

export const projectRoutes = [list, create, read, update, remove, assign, previewAssign, follow];
