import { type AnyColumn, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { TenantReach } from '@/domain/permissions';
import { projects } from '../db/schema/access';
import { workloads } from '../db/schema/workloads';

/** Whether a row that belongs to a tenant is within reach. What belongs to no tenant is for those with reach `all`. */
export function tenantInReach(column: AnyColumn, tenants: TenantReach): SQL | undefined {
  if (tenants === 'all') return undefined;
  return tenants.length === 0 ? sql`false` : inArray(column, [...tenants]);
}

/**
 * Whether a workload is within reach, for a WHERE in which `workloads` stands. Nothing is to be asked with reach `all`.
 * A workload without a project belongs to no tenant.
 */
export function workloadInReach(tenants: TenantReach): SQL | undefined {
  if (tenants === 'all') return undefined;
  if (tenants.length === 0) return sql`false`;
  return sql`exists (select 1 from ${projects} where ${eq(projects.id, workloads.project_id)}
    and ${inArray(projects.tenant_id, [...tenants])})`;
}

/** The filter `tenant_id` of a list: rows of this tenant, with `none` those of no tenant. */
export function ofTenant(column: AnyColumn, wanted: string | undefined): SQL | undefined {
  if (wanted === undefined) return undefined;
  return wanted === 'none' ? isNull(column) : eq(column, wanted);
}
