import { z } from 'zod';
import { Role, RoleInput, RoleListInput, RolePage, RoleUpdate } from '@/domain/role';
import { createRole, deleteRole, listRoles, readRole, updateRole } from '../../services/administration/roles';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Administration';
const params = z.object({ role_id: z.uuid() });

const list = defineRoute({
  method: 'GET',
  path: '/roles',
  summary: 'Roles with their permissions.',
  tag,
  access: { permission: 'role:read' },
  query: RoleListInput,
  response: { status: 200, schema: RolePage },
  handler: ({ scope, query }) => listRoles(scope, query),
});

const create = defineRoute({
  method: 'POST',
  path: '/roles',
  summary: 'Create a role.',
  tag,
  access: { permission: 'role:write' },
  body: RoleInput,
  response: { status: 201, schema: Role },
  handler: ({ scope, body }) => createRole(scope, body),
});

const read = defineRoute({
  method: 'GET',
  path: '/roles/{role_id}',
  summary: 'One role.',
  tag,
  access: { permission: 'role:read' },
  params,
  response: { status: 200, schema: Role },
  handler: ({ scope, params }) => readRole(scope, params.role_id),
});

const update = defineRoute({
  method: 'PATCH',
  path: '/roles/{role_id}',
  summary: 'Change a role. If-Match or version guards against lost updates.',
  tag,
  access: { permission: 'role:write' },
  params,
  body: RoleUpdate,
  response: { status: 200, schema: Role },
  handler: ({ scope, params, body, request }) =>
    updateRole(scope, params.role_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/roles/{role_id}',
  summary: 'Delete a role that nobody holds.',
  tag,
  access: { permission: 'role:write' },
  params,
  response: { status: 204 },
  handler: ({ scope, params }) => deleteRole(scope, params.role_id),
});

export const roleRoutes = [list, create, read, update, remove];
