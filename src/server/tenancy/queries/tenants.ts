import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { ApprovalRule } from '@/domain/change/approval';
import type { MaintenanceWindow } from '@/domain/change/maintenance';
import type { Page } from '@/domain/list';
import type { TenantReach } from '@/domain/permissions';
import { TENANT_SORTS, Tenant, type TenantListInput } from '@/domain/tenant';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, roleAssignments, tenants } from '../../db/schema/access';
import { policies, securityGroups } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';

export type TenantRow = typeof tenants.$inferSelect;

/** Id and name of tenants, by name. */
export async function listTenantNames(executor: Executor, limit: number): Promise<{ id: string; name: string }[]> {
  return executor
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .orderBy(sql`lower(${tenants.name})`)
    .limit(limit);
}

const columns = selectColumns(Tenant, tenants, {
  counts: sql<Tenant['counts']>`json_build_object(
    'projects', (select count(*) from ${projects} where ${eq(projects.tenant_id, tenants.id)}),
    'workloads', (select count(*) from ${workloads} join ${projects} on ${eq(projects.id, workloads.project_id)}
      where ${eq(projects.tenant_id, tenants.id)}),
    'users', (select count(distinct ${roleAssignments.user_id}) from ${roleAssignments}
      where ${eq(roleAssignments.tenant_id, tenants.id)}),
    'security_groups', (select count(*) from ${securityGroups} where ${eq(securityGroups.tenant_id, tenants.id)}),
    'policies', (select count(*) from ${policies} where ${eq(policies.tenant_id, tenants.id)}))`,
});
const SORTS = buildSortKeys(Tenant, TENANT_SORTS, columns);

const inReach = (reach: TenantReach): SQL | undefined =>
  reach === 'all' ? undefined : inArray(tenants.id, [...reach]);

/** Tenants visible to the caller, page by page. Two queries. */
export async function listTenants(reach: TenantReach, input: TenantListInput): Promise<Page<Tenant>> {
  const where = and(
    inReach(reach),
    ...buildConditions(input, tenants, { q: hasText(tenants.name, tenants.description) }),
  );
  return queryPage<Tenant>(input, { sorts: SORTS, sort: 'name', id: tenants.id }, (paging) => ({
    rows: db
      .select(columns)
      .from(tenants)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(tenants, where),
  }));
}

/** One tenant visible to the caller, or null. */
export async function findTenant(executor: Executor, reach: TenantReach, id: string): Promise<Tenant | null> {
  const [row] = await executor
    .select(columns)
    .from(tenants)
    .where(and(eq(tenants.id, id), inReach(reach)));
  return row ?? null;
}

/** The row, locked against other writers; `update` also against new references to it. */
export async function lockTenant(
  tx: Tx,
  id: string,
  strength: 'no key update' | 'update' | 'key share' = 'no key update',
): Promise<TenantRow | null> {
  const [row] = await tx.select().from(tenants).where(eq(tenants.id, id)).for(strength);
  return row ?? null;
}

export async function tenantNameExists(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$count(tenants, sql`lower(${tenants.name}) = lower(${name})`)) > 0;
}

export async function insertTenant(tx: Tx, row: typeof tenants.$inferInsert): Promise<void> {
  await tx.insert(tenants).values(row);
}

export async function updateTenant(tx: Tx, id: string, changes: Partial<TenantRow>): Promise<void> {
  await tx
    .update(tenants)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(tenants.id, id));
}

export async function deleteTenantRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(tenants).where(eq(tenants.id, id));
}

/** Names of tenants by id; unknown ids are missing. They cannot be deleted until the transaction ends. */
export async function findTenantNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(inArray(tenants.id, [...ids]))
    .orderBy(tenants.id)
    .for('key share');
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** When changes to the rules of tenants need approval, and when they may be applied; unknown ids are missing. */
export async function listChangeRules(
  executor: Executor,
  ids: readonly string[],
): Promise<{ id: string; approval: ApprovalRule; maintenance_windows: MaintenanceWindow[] }[]> {
  if (ids.length === 0) return [];
  const rows = await executor
    .select({
      id: tenants.id,
      required: tenants.approvals_required,
      scope: tenants.approval_scope,
      maintenance_windows: tenants.maintenance_windows,
    })
    .from(tenants)
    .where(inArray(tenants.id, [...ids]));
  return rows.map(({ id, required, scope, maintenance_windows }) => ({
    id,
    approval: { required, scope },
    maintenance_windows,
  }));
}

export async function tenantExists(executor: Executor, id: string): Promise<boolean> {
  return (await executor.$count(tenants, eq(tenants.id, id))) > 0;
}
