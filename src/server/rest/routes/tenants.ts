import { z } from 'zod';
import { Tenant, TenantInput, TenantListInput, TenantPage, TenantUpdate } from '@/domain/tenant';
import {
  createTenant,
  deleteTenant,
  listTenants,
  readTenant,
  updateTenant,
} from '../../services/administration/tenants';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Administration';
const params = z.object({ tenant_id: z.uuid() });

const list = defineRoute({
  method: 'GET',
  path: '/tenants',
  summary: 'Tenants within reach, with what they hold.',
  tag,
  access: { permission: 'tenant:read' },
  query: TenantListInput,
  response: { status: 200, schema: TenantPage },
  handler: ({ scope, query }) => listTenants(scope, query),
});

const create = defineRoute({
  method: 'POST',
  path: '/tenants',
  summary: 'Create a tenant.',
  tag,
  access: { permission: 'tenant:write' },
  body: TenantInput,
  response: { status: 201, schema: Tenant },
  handler: ({ scope, body }) => createTenant(scope, body),
});

const read = defineRoute({
  method: 'GET',
  path: '/tenants/{tenant_id}',
  summary: 'One tenant.',
  tag,
  access: { permission: 'tenant:read' },
  params,
  response: { status: 200, schema: Tenant },
  handler: ({ scope, params }) => readTenant(scope, params.tenant_id),
});

const update = defineRoute({
  method: 'PATCH',
  path: '/tenants/{tenant_id}',
  summary: 'Change a tenant. If-Match or version guards against lost updates.',
  tag,
  access: { permission: 'tenant:write' },
  params,
  body: TenantUpdate,
  response: { status: 200, schema: Tenant },
  handler: ({ scope, params, body, request }) =>
    updateTenant(scope, params.tenant_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/tenants/{tenant_id}',
  summary: 'Delete an empty tenant; roles held for it go with it.',
  tag,
  access: { permission: 'tenant:write' },
  params,
  response: { status: 204 },
  handler: ({ scope, params }) => deleteTenant(scope, params.tenant_id),
});

export const tenantRoutes = [list, create, read, update, remove];
