import { Tenant, TenantInput, TenantListInput, TenantPage, TenantUpdate } from '@/domain/tenant';
import { listTenants } from '../../tenancy/queries/tenants';
import { createTenant, deleteTenant, readTenant, updateTenant } from '../../tenancy/tenants';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Administration');

export const tenantsRouter = router({
  list: query({
    rest: 'GET /tenants',
    summary: 'List the tenants that are visible to you, with their object counts.',
    access: { permission: 'tenant:read' },
    input: TenantListInput,
    output: TenantPage,
    run: ({ scope, input }) => listTenants(scope.tenants, input),
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
    summary: 'Get one tenant.',
    access: { permission: 'tenant:read' },
    output: Tenant,
    run: ({ scope, params }) => readTenant(scope, params.tenant_id),
  }),
  update: mutation({
    rest: 'PATCH /tenants/{tenant_id}',
    summary: 'Update a tenant. If-Match or version prevents lost updates.',
    access: { permission: 'tenant:write' },
    input: TenantUpdate,
    output: Tenant,
    run: ({ scope, params, input }) => updateTenant(scope, params.tenant_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /tenants/{tenant_id}',
    summary: 'Delete an empty tenant with all role assignments for it.',
    access: { permission: 'tenant:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteTenant(scope, params.tenant_id, input.version),
  }),
});
