import { and, asc, eq, inArray, ne, notInArray, type SQL, sql } from 'drizzle-orm';
import { INCIDENT_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { ActiveIncident } from '@/domain/notifications/advance-incidents';
import type { Condition } from '@/domain/notifications/condition';
import { NotificationIncident, type NotificationIncidentListInput } from '@/domain/notifications/incident';
import type { IncidentEndReason } from '@/domain/notifications/notification';
import type { TenantReach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { tenants } from '../../db/schema/access';
import { notificationIncidents, notificationRules } from '../../db/schema/notifications';
import { filterByTenant, tenantInReach } from '../../tenancy/queries/tenant-reach';

export type IncidentRow = typeof notificationIncidents.$inferSelect;

const columns = selectColumns(NotificationIncident, notificationIncidents, {
  rule_name: notificationRules.name,
  tenant_id: notificationRules.tenant_id,
  tenant_name: tenants.name,
});
const SORTS = buildSortKeys(NotificationIncident, INCIDENT_SORTS, columns);

const from = (executor: Executor) =>
  executor
    .select(columns)
    .from(notificationIncidents)
    .innerJoin(notificationRules, eq(notificationRules.id, notificationIncidents.rule_id))
    .leftJoin(tenants, eq(tenants.id, notificationRules.tenant_id))
    .$dynamic();

/** Incidents of rules visible to the caller, page by page, newest first. Two queries. */
export function listIncidents(
  reach: TenantReach,
  input: NotificationIncidentListInput,
): Promise<Page<NotificationIncident>> {
  const where: SQL | undefined = and(
    tenantInReach(notificationRules.tenant_id, reach),
    ...buildConditions(input, notificationIncidents, {
      q: hasText(
        notificationIncidents.object_name,
        notificationIncidents.detail,
        notificationRules.name,
        hasName(notificationRules.tenant_id, tenants),
      ),
      tenant_id: (id) => filterByTenant(notificationRules.tenant_id, id),
    }),
  );
  const list = { sorts: SORTS, sort: '-first_seen_at', id: notificationIncidents.id };
  return queryPage<NotificationIncident>(input, list, (paging) => ({
    rows: from(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(from(db).where(where).as('matches')),
  }));
}

/** A rule's incidents that are not closed. */
export async function listActiveIncidents(
  tx: Tx,
  ruleId: string,
): Promise<(ActiveIncident & Pick<IncidentRow, 'object_kind' | 'object_id' | 'opened_at'>)[]> {
  const rows = await tx
    .select()
    .from(notificationIncidents)
    .where(and(eq(notificationIncidents.rule_id, ruleId), ne(notificationIncidents.status, 'closed')))
    .orderBy(asc(notificationIncidents.id));
  return rows as (IncidentRow & { status: 'pending' | 'open' })[];
}

/** When incidents ended: null for those that did not; without those that do not exist any more. */
export async function listIncidentEnds(
  executor: Executor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const { id, closed_at } = notificationIncidents;
  const rows = await executor
    .select({ id, closed_at })
    .from(notificationIncidents)
    .where(inArray(id, [...ids]));
  return new Map(rows.map((row) => [row.id, row.closed_at]));
}

export async function insertIncidents(
  tx: Tx,
  rows: readonly (typeof notificationIncidents.$inferInsert)[],
): Promise<void> {
  // A statement has at most 65,535 parameters.
  for (let start = 0; start < rows.length; start += 1000)
    await tx.insert(notificationIncidents).values(rows.slice(start, start + 1000));
}

export async function updateIncident(tx: Tx, id: string, changes: Partial<IncidentRow>): Promise<void> {
  await tx.update(notificationIncidents).set(changes).where(eq(notificationIncidents.id, id));
}

/** Closes these incidents at the same time. */
export async function closeIncidents(tx: Tx, ids: readonly string[], at: string): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(notificationIncidents)
    .set({ status: 'closed', closed_at: at, updated_at: at })
    .where(inArray(notificationIncidents.id, [...ids]));
}

export async function deleteIncidents(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.delete(notificationIncidents).where(inArray(notificationIncidents.id, [...ids]));
}

/** Ends what a rule no longer checks, without notifying: open incidents close, pending ones were never reported. */
export async function endIncidents(tx: Tx, ruleId: string, kept: readonly Condition[], at: string): Promise<void> {
  const which = and(
    eq(notificationIncidents.rule_id, ruleId),
    kept.length === 0 ? undefined : notInArray(notificationIncidents.condition, [...kept]),
  );
  await tx.delete(notificationIncidents).where(and(which, eq(notificationIncidents.status, 'pending')));
  await tx
    .update(notificationIncidents)
    .set({ status: 'closed', closed_at: at, updated_at: at })
    .where(and(which, eq(notificationIncidents.status, 'open')));
}

/** Tables of objects whose rows are deleted with proof only, by kind. An agent is one of its node. */
const OBJECT_TABLES = {
  cluster: 'clusters',
  node: 'nodes',
  agent: 'nodes',
  policy: 'policies',
  policy_test: 'policy_tests',
  change: 'changes',
  workload: 'workloads',
  ipam_conflict: 'ipam_conflicts',
};

/** Objects without an id are addresses of a cluster, which their keys begin with. */
const IS_REMOVED = sql`case
  ${sql.join(
    Object.entries(OBJECT_TABLES).map(
      ([kind, table]) => sql`when i.object_kind = ${kind} and i.object_id is not null
        then not exists (select from ${sql.identifier(table)} o where o.id::text = i.object_id)`,
    ),
    sql` `,
  )}
  when i.object_kind = 'address' then not exists (select from clusters c where c.id::text = split_part(i.key, ' ', 1))
  else false end`;

/** Whether an object that exists is no longer in the cluster, or not visible to the tenant of the rule. */
const hasLeft = (tenantId: string | null): SQL => {
  const node = sql`i.object_kind in ('node', 'agent')
    and exists (select from nodes n where n.id::text = i.object_id and n.missing_since is not null)`;
  if (tenantId === null) return node;
  return sql`${node} or i.object_kind = 'workload' and i.object_id is not null
      and not exists (select from workloads w join projects p on p.id = w.project_id
        where w.id::text = i.object_id and p.tenant_id = ${tenantId}::uuid)
    or i.object_kind = 'ipam_conflict'
      and exists (select from ipam_conflicts c where c.id::text = i.object_id and c.status = 'open')`;
};

/** Why objects of active incidents of a rule are no longer its matter, by id of the incident. One query. */
export async function listEndReasons(
  executor: Executor,
  rule: { readonly id: string; readonly tenant_id: string | null },
): Promise<Map<string, IncidentEndReason>> {
  const rows = await executor.execute<{ id: string; reason: IncidentEndReason | null }>(sql`
    select i.id, case when ${IS_REMOVED} then 'removed' when ${hasLeft(rule.tenant_id)} then 'left'
      when i.condition = 'policy_drifted' and exists (select from policies p where p.id::text = i.object_id
        and (not p.enabled or p.definition ->> 'enforcement_mode' <> 'enforced')) then 'not_enforced' end as reason
    from ${notificationIncidents} i where i.rule_id = ${rule.id} and i.status <> 'closed'`);
  return new Map(rows.flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason] as const])));
}
