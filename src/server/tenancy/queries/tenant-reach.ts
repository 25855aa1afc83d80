import { type AnyColumn, and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import {
  getReachableProjects,
  getReachableTenants,
  type Owned,
  type Reach,
  type TenantReach,
} from '@/domain/permissions';
import { projects } from '../../db/schema/access';
import { workloads } from '../../db/schema/workloads';

/** Whether a row of a tenant is visible. A row without a tenant is visible only with reach `all`. */
export function tenantInReach(column: AnyColumn, tenants: TenantReach): SQL | undefined {
  if (tenants === 'all') return undefined;
  return tenants.length === 0 ? sql`false` : inArray(column, [...tenants]);
}

/**
 * Whether a workload is visible, for a WHERE on `workloads`. With reach `all` no condition is needed. A workload
 * without a project belongs to no tenant.
 */
export function workloadInReach(reach: Reach): SQL | undefined {
  const tenants = getReachableTenants(reach);
  if (tenants === 'all') return undefined;
  const single = getReachableProjects(reach);
  const ofProject = single.length > 0 ? inArray(workloads.project_id, [...single]) : undefined;
  if (tenants.length === 0) return ofProject ?? sql`false`;
  const ofTenant = sql`exists (select 1 from ${projects} where ${eq(projects.id, workloads.project_id)}
    and ${inArray(projects.tenant_id, [...tenants])})`;
  return ofProject ? sql`(${ofProject} or ${ofTenant})` : ofTenant;
}

/**
 * Whether a day (UTC) of a workload is visible, for a WHERE on `workloads`: to users who see it through its project,
 * only the days after the one on which it was assigned.
 */
export function dayInProject(day: SQL, reach: Reach): SQL | undefined {
  const single = getReachableProjects(reach);
  if (single.length === 0) return undefined;
  const { project_id, project_since } = workloads;
  return sql`(${project_since} is null or ${project_id} is null or not (${inArray(project_id, [...single])})
    or ${day} > (${project_since} at time zone 'UTC')::date)`;
}

/** Whether a row that belongs to a tenant, or to one project of it, is visible. */
export function ownedInReach(columns: { tenant_id: AnyColumn; project_id: AnyColumn }, reach: Reach): SQL | undefined {
  const ofTenant = tenantInReach(columns.tenant_id, getReachableTenants(reach));
  const single = getReachableProjects(reach);
  return ofTenant && single.length > 0 ? or(ofTenant, inArray(columns.project_id, [...single])) : ofTenant;
}

/** The filter `tenant_id` of a list, or `project_id`: rows of this one, with `none` those of none. */
export function filterByTenant(column: AnyColumn, requested: string | undefined): SQL | undefined {
  if (requested === undefined) return undefined;
  return requested === 'none' ? isNull(column) : eq(column, requested);
}

/** Rows of exactly this owner: a project's are not the tenant's. */
export const ownedBy = (columns: { tenant_id: AnyColumn; project_id: AnyColumn }, owner: Owned): SQL | undefined =>
  and(
    filterByTenant(columns.tenant_id, owner.tenant_id ?? 'none'),
    filterByTenant(columns.project_id, owner.project_id ?? 'none'),
  );
