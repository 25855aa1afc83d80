import { z } from 'zod';
import { RoleInput, RoleListInput, RoleUpdate } from '@/domain/role';
import { createRole, deleteRole, listRoles, readRole, updateRole } from '../../services/administration/roles';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const rolesRouter = router({
  list: procedure('role:read')
    .input(RoleListInput)
    .query(({ ctx, input }) => listRoles(ctx.scope, input)),
  get: procedure('role:read')
    .input(byId)
    .query(({ ctx, input }) => readRole(ctx.scope, input.id)),
  create: procedure('role:write')
    .input(RoleInput)
    .mutation(({ ctx, input }) => createRole(ctx.scope, input)),
  update: procedure('role:write')
    .input(RoleUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateRole(ctx.scope, id, changes)),
  delete: procedure('role:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteRole(ctx.scope, input.id)),
});
