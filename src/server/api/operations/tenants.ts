import { Tenant, TenantInput, TenantListInput, TenantPage, TenantUpdate } from '@/domain/tenant';
import { createTenant, deleteTenant, listTenants, readTenant, updateTenant } from '../../tenancy/tenants';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Administration');

export const tenantsRouter = router({
  list: query({
    rest: 'GET /tenants',
    summary: 'Tenants within reach, with what they hold.',
    access: { permission: 'tenant:read' },
    input: TenantListInput,
    output: TenantPage,
    run: ({ scope, input }) => listTenants(scope, input),
  }),
  create: mutation({
    rest: 'POST /tenants',
    summary: 'Create a tenant.',
    access: { permission: 'tenant:write' },
    input: TenantInput,
    output: Tenant,
    status: 201,
    run: ({ scope, input }) => createTenant(scope, input),
  }),
  get: query({
    rest: 'GET /tenants/{tenant_id}',
    summary: 'One tenant.',
    access: { permission: 'tenant:read' },
    output: Tenant,
    run: ({ scope, params }) => readTenant(scope, params.tenant_id),
  }),
  update: mutation({
    rest: 'PATCH /tenants/{tenant_id}',
    summary: 'Change a tenant. If-Match or version guards against lost updates.',
    access: { permission: 'tenant:write' },
    input: TenantUpdate,
    output: Tenant,
    run: ({ scope, params, input }) => updateTenant(scope, params.tenant_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /tenants/{tenant_id}',
    summary: 'Delete an empty tenant; roles held for it go with it.',
    access: { permission: 'tenant:write' },
    run: ({ scope, params }) => deleteTenant(scope, params.tenant_id),
  }),
});
