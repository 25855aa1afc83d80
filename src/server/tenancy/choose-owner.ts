import {
  type Grantable,
  getReachableProjects,
  getReachableTenants,
  type Owned,
  type Reach,
  type TenantReach,
} from '@/domain/permissions';
import { narrowScope, type Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { AppError } from '../lib/errors';
import { notFound } from '../lib/refusals';
import { lockProject } from './queries/projects';
import { tenantExists } from './queries/tenants';

const wrongTenant = (message: string) =>
  new AppError('malformed', message, {
    errors: [{ field: 'tenant_id', message: 'Specify a tenant for which you have the permission.' }],
  });

/**
 * The tenant that a new object belongs to. A caller whose scope is the whole installation may omit it or send null:
 * the object then belongs to no tenant. Others must name one of their tenants, unless they have only one.
 * @throws AppError `malformed` naming the field
 */
export async function chooseTenant(
  tx: Tx,
  reach: TenantReach,
  requested: string | null | undefined,
): Promise<string | null> {
  if (reach === 'all') {
    if (requested && !(await tenantExists(tx, requested))) throw wrongTenant('Tenant not found.');
    return requested ?? null;
  }
  const [only, ...more] = reach;
  if (requested === undefined && only !== undefined && more.length === 0) return only;
  if (requested === undefined)
    throw wrongTenant('You have the permission for several tenants: specify the one that this belongs to.');
  if (requested === null || !reach.includes(requested)) throw wrongTenant('Tenant not found.');
  return requested;
}

const wrongProject = (message: string) =>
  new AppError('malformed', message, {
    errors: [{ field: 'project_id', message: 'Specify a project for which you have the permission.' }],
  });

/** The response is the same for a project that does not exist and one that is not visible to the caller. */
const noSuchProject = () => wrongProject('Project not found.');

type RequestedOwner = { tenant_id?: string | null | undefined; project_id?: string | null | undefined };

/**
 * The owner of something new: a project, a tenant, or the installation. Without a project it is chosen as by `chooseTenant`. A user
 * who acts for single projects only must name one, unless there is only one.
 * @throws AppError `malformed` naming the field
 */
export async function chooseOwner(tx: Tx, reach: Reach, { tenant_id, project_id }: RequestedOwner): Promise<Owned> {
  const [only, ...more] = getReachableProjects(reach);
  const tenants = getReachableTenants(reach);
  let requested = project_id;
  if (tenants !== 'all' && tenants.length === 0 && requested === undefined && only !== undefined) {
    if (more.length > 0)
      throw wrongProject('You have the permission for several projects: specify the one that this belongs to.');
    requested = only;
  }
  if (requested === undefined || (requested === null && tenants.length > 0)) {
    return { tenant_id: await chooseTenant(tx, tenants, tenant_id), project_id: null };
  }
  if (requested === null) throw wrongProject('You have the permission for single projects only: specify one.');
  const project = await lockProject(tx, reach, requested, 'key share');
  if (!project || (tenant_id !== undefined && tenant_id !== project.tenant_id)) throw noSuchProject();
  return { tenant_id: project.tenant_id, project_id: project.id };
}

/**
 * Another owner for something that a tenant or one of its projects has, whose present owner the caller acts for already.
 * @throws AppError `refused` for what belongs to the installation; `malformed` for a project of others; `forbidden` when the caller
 * does not act for the whole tenant and gives it to the tenant
 */
export async function changeOwner(tx: Tx, reach: Reach, present: Owned, projectId: string | null): Promise<Owned> {
  const { tenant_id } = present;
  if (tenant_id === null) {
    throw new AppError('refused', 'An object of the whole installation cannot be assigned to a project.', {
      errors: [{ field: 'project_id', message: 'Leave this field out.' }],
    });
  }
  if (projectId === null) {
    const tenants = getReachableTenants(reach);
    if (tenants !== 'all' && !tenants.includes(tenant_id)) {
      throw new AppError('forbidden', 'This requires the permission for the whole tenant.');
    }
    return { tenant_id, project_id: null };
  }
  const project = await lockProject(tx, reach, projectId, 'key share');
  if (!project || project.tenant_id !== tenant_id) throw noSuchProject();
  return { tenant_id, project_id: project.id };
}

/**
 * The scope narrowed to one tenant, as the tenant's own users have it; unchanged without a tenant.
 * @throws AppError `not_found` for a tenant that is not visible to the caller
 */
export async function narrowToTenant<P extends Grantable>(
  scope: Scope<P>,
  tenantId: string | undefined,
): Promise<Scope<P>> {
  if (tenantId === undefined) return scope;
  const narrowed = narrowScope(scope, tenantId);
  if (!narrowed || !(await tenantExists(db, tenantId))) throw notFound('tenant');
  return narrowed;
}
