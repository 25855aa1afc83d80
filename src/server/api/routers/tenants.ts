import { z } from 'zod';
import { TenantInput, TenantListInput, TenantUpdate } from '@/domain/tenant';
import {
  createTenant,
  deleteTenant,
  listTenants,
  readTenant,
  updateTenant,
} from '../../services/administration/tenants';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const tenantsRouter = router({
  list: procedure('tenant:read')
    .input(TenantListInput)
    .query(({ ctx, input }) => listTenants(ctx.scope, input)),
  get: procedure('tenant:read')
    .input(byId)
    .query(({ ctx, input }) => readTenant(ctx.scope, input.id)),
  create: procedure('tenant:write')
    .input(TenantInput)
    .mutation(({ ctx, input }) => createTenant(ctx.scope, input)),
  update: procedure('tenant:write')
    .input(TenantUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateTenant(ctx.scope, id, changes)),
  delete: procedure('tenant:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteTenant(ctx.scope, input.id)),
});
