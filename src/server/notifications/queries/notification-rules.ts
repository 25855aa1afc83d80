import { and, asc, eq, inArray, isNotNull, isNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import { union } from 'drizzle-orm/pg-core';
import { RULE_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { Condition } from '@/domain/notifications/condition';
import { NotificationRule, type NotificationRuleListInput } from '@/domain/notifications/rule';
import type { TenantReach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { tenants } from '../../db/schema/access';
import {
  notificationChannels,
  notificationDeliveries,
  notificationIncidents,
  notificationRuleChannels,
  notificationRules,
  notifications,
} from '../../db/schema/notifications';
import { filterByTenant, tenantInReach } from '../../tenancy/queries/tenant-reach';

export type RuleRow = typeof notificationRules.$inferSelect;

const { id: ruleId } = notificationRules;

const columns = selectColumns(NotificationRule, notificationRules, {
  tenant_name: tenants.name,
  channels: sql<
    NotificationRule['channels']
  >`(select coalesce(json_agg(json_build_object('id', ${notificationChannels.id},
    'name', ${notificationChannels.name}, 'enabled', ${notificationChannels.enabled}) order by ${notificationChannels.name}), '[]'::json)
    from ${notificationRuleChannels} join ${notificationChannels}
      on ${eq(notificationChannels.id, notificationRuleChannels.channel_id)}
    where ${eq(notificationRuleChannels.rule_id, ruleId)})`,
  incidents_open: sql<number>`(select count(*)::int from ${notificationIncidents}
    where ${eq(notificationIncidents.rule_id, ruleId)} and ${notificationIncidents.status} = 'open')`,
});
const SORTS = buildSortKeys(NotificationRule, RULE_SORTS, columns);

const select = (executor: Executor) =>
  executor
    .select(columns)
    .from(notificationRules)
    .leftJoin(tenants, eq(tenants.id, notificationRules.tenant_id))
    .$dynamic();

const inReach = (reach: TenantReach) => tenantInReach(notificationRules.tenant_id, reach);

const uses = (channelId: string): SQL => sql`exists (select 1 from ${notificationRuleChannels}
  where ${and(eq(notificationRuleChannels.rule_id, ruleId), eq(notificationRuleChannels.channel_id, channelId))})`;

/** Rules visible to the caller, page by page. Two queries. */
export function listRules(reach: TenantReach, input: NotificationRuleListInput): Promise<Page<NotificationRule>> {
  const where = and(
    inReach(reach),
    ...buildConditions(input, notificationRules, {
      q: hasText(notificationRules.name, hasName(notificationRules.tenant_id, tenants)),
      condition: (condition) => sql`${condition} = any (${notificationRules.conditions})`,
      channel_id: uses,
      tenant_id: (id) => filterByTenant(notificationRules.tenant_id, id),
    }),
  );
  return queryPage<NotificationRule>(input, { sorts: SORTS, sort: 'name', id: ruleId }, (paging) => ({
    rows: select(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(notificationRules, where),
  }));
}

/** One rule visible to the caller, or null. */
export async function findRule(executor: Executor, reach: TenantReach, id: string): Promise<NotificationRule | null> {
  const [row] = await select(executor).where(and(eq(ruleId, id), inReach(reach)));
  return row ?? null;
}

/** The row of a rule visible to the caller, locked until the transaction ends. */
export async function lockRule(tx: Tx, reach: TenantReach, id: string): Promise<RuleRow | null> {
  const [row] = await tx
    .select()
    .from(notificationRules)
    .where(and(eq(ruleId, id), inReach(reach)))
    .for('update');
  return row ?? null;
}

/** Every rule that is on, in the order of creation. */
export function listEnabledRules(executor: Executor): Promise<RuleRow[]> {
  return executor.select().from(notificationRules).where(eq(notificationRules.enabled, true)).orderBy(asc(ruleId));
}

export async function ruleNameTaken(tx: Tx, tenantId: string | null, name: string): Promise<boolean> {
  const tenant = tenantId === null ? isNull(notificationRules.tenant_id) : eq(notificationRules.tenant_id, tenantId);
  return (await tx.$count(notificationRules, and(tenant, eq(notificationRules.name, name)))) > 0;
}

export async function insertRule(tx: Tx, row: typeof notificationRules.$inferInsert): Promise<void> {
  await tx.insert(notificationRules).values(row);
}

export async function updateRule(tx: Tx, id: string, changes: Partial<RuleRow>): Promise<void> {
  await tx
    .update(notificationRules)
    .set({ ...changes, version: sql`${notificationRules.version} + 1`, updated_at: sql`now()` })
    .where(eq(ruleId, id));
}

export async function deleteRuleRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(notificationRules).where(eq(ruleId, id));
}

/** The ids of a rule's channels, sorted. */
export async function listRuleChannelIds(executor: Executor, id: string): Promise<string[]> {
  const rows = await executor
    .select({ id: notificationRuleChannels.channel_id })
    .from(notificationRuleChannels)
    .where(eq(notificationRuleChannels.rule_id, id))
    .orderBy(asc(notificationRuleChannels.channel_id));
  return rows.map(({ id }) => id);
}

/** Makes these the rule's channels. */
export async function replaceRuleChannels(tx: Tx, id: string, channelIds: readonly string[]): Promise<void> {
  await tx.delete(notificationRuleChannels).where(eq(notificationRuleChannels.rule_id, id));
  if (channelIds.length === 0) return;
  await tx.insert(notificationRuleChannels).values(channelIds.map((channel_id) => ({ rule_id: id, channel_id })));
}

/** Those of the ids that are channels of this tenant (null: of the installation); they stay until the transaction ends. */
export async function lockTenantChannelsForShare(
  tx: Tx,
  tenantId: string | null,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const tenant =
    tenantId === null ? isNull(notificationChannels.tenant_id) : eq(notificationChannels.tenant_id, tenantId);
  const rows = await tx
    .select({ id: notificationChannels.id })
    .from(notificationChannels)
    .where(and(tenant, inArray(notificationChannels.id, [...ids])))
    .orderBy(asc(notificationChannels.id))
    .for('key share');
  return rows.map(({ id }) => id);
}

/** A rule's channels that are on. */
export function listActiveChannels(
  executor: Executor,
  id: string,
): Promise<Pick<typeof notificationChannels.$inferSelect, 'id' | 'name' | 'kind'>[]> {
  return executor
    .select({ id: notificationChannels.id, name: notificationChannels.name, kind: notificationChannels.kind })
    .from(notificationRuleChannels)
    .innerJoin(notificationChannels, eq(notificationChannels.id, notificationRuleChannels.channel_id))
    .where(and(eq(notificationRuleChannels.rule_id, id), eq(notificationChannels.enabled, true)))
    .orderBy(asc(notificationChannels.id));
}

/**
 * The channels that a rule reported incidents of these times to, also those that it no longer uses and those that are off. They
 * stay until the transaction ends. Where that is not stored any more, those that it uses and that are on.
 */
export function lockReportedChannelsForShare(
  tx: Tx,
  id: string,
  condition: Condition | null,
  openedAt: readonly string[],
): Promise<Pick<typeof notificationChannels.$inferSelect, 'id' | 'name' | 'kind'>[]> {
  const opened = and(
    eq(notifications.rule_id, id),
    eq(notifications.event, 'opened'),
    condition === null ? undefined : eq(notifications.condition, condition),
    inArray(notifications.created_at, [...new Set(openedAt)]),
  );
  const reported = tx
    .select({ id: notificationDeliveries.channel_id })
    .from(notificationDeliveries)
    .innerJoin(notifications, eq(notifications.id, notificationDeliveries.notification_id))
    .where(opened);
  const isUnknown = notExists(tx.select({ id: notifications.id }).from(notifications).where(opened));
  return tx
    .select({ id: notificationChannels.id, name: notificationChannels.name, kind: notificationChannels.kind })
    .from(notificationChannels)
    .where(
      or(
        inArray(notificationChannels.id, reported),
        and(
          isUnknown,
          eq(notificationChannels.enabled, true),
          sql`exists (select from ${notificationRuleChannels}
          where rule_id = ${id} and channel_id = ${notificationChannels.id})`,
        ),
      ),
    )
    .orderBy(asc(notificationChannels.id))
    .for('key share');
}

/** Of a notice whose incidents are not all over: their ends will be sent to the same channels. */
export const hasOpenIncident = sql`(${notifications.event} = 'opened' and exists (select from ${notificationIncidents} i
  where i.rule_id = ${notifications.rule_id} and i.condition = ${notifications.condition} and i.status = 'open'
    and i.opened_at = ${notifications.created_at}))`;

/**
 * The conditions that any rule reports to a channel, and those of notices that a rule reported and that still wait for it, can be
 * retried or will have an end, also if the rule is gone.
 */
export async function listChannelConditions(executor: Executor, channelId: string): Promise<Condition[]> {
  const unsent = and(
    eq(notificationDeliveries.channel_id, channelId),
    or(inArray(notificationDeliveries.status, ['queued', 'sending', 'failed']), hasOpenIncident),
    isNotNull(notifications.condition),
  );
  const rows = await union(
    executor
      .select({ condition: sql<Condition>`unnest(${notificationRules.conditions})` })
      .from(notificationRules)
      .where(uses(channelId)),
    executor
      .select({ condition: sql<Condition>`${notifications.condition}` })
      .from(notificationDeliveries)
      .innerJoin(notifications, eq(notifications.id, notificationDeliveries.notification_id))
      .where(unsent),
  );
  return rows.map(({ condition }) => condition);
}
