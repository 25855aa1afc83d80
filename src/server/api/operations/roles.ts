import { Role, RoleInput, RoleListInput, RolePage, RoleUpdate } from '@/domain/role';
import { listRoles } from '../../access/queries/roles';
import { createRole, deleteRole, readRole, updateRole } from '../../access/users/roles';
import { clock } from '../../lib/clock';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Administration');

export const rolesRouter = router({
  list: query({
    rest: 'GET /roles',
    summary: 'List roles with their permissions.',
    access: { permission: 'role:read' },
    input: RoleListInput,
    output: RolePage,
    run: ({ input }) => listRoles(input, clock.now().toISOString()),
  }),
  create: mutation({
    rest: 'POST /roles',
    summary: 'Create a role.',
    access: { permission: 'role:write' },
    input: RoleInput,
    output: Role,
    status: 201,
    run: ({ scope, input }) => createRole(scope, input),
  }),
  get: query({
    rest: 'GET /roles/{role_id}',
    summary: 'Get one role.',
    access: { permission: 'role:read' },
    output: Role,
    run: ({ scope, params }) => readRole(scope, params.role_id),
  }),
  update: mutation({
    rest: 'PATCH /roles/{role_id}',
    summary: 'Update a role. If-Match or version prevents lost updates.',
    access: { permission: 'role:write' },
    input: RoleUpdate,
    output: Role,
    run: ({ scope, params, input }) => updateRole(scope, params.role_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /roles/{role_id}',
    summary: 'Delete an unassigned role.',
    access: { permission: 'role:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteRole(scope, params.role_id, input.version),
  }),
});
