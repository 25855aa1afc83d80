import { and, eq, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { CHANNEL_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { NotificationChannel, type NotificationChannelListInput } from '@/domain/notifications/channel';
import type { TenantReach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { tenants } from '../../db/schema/access';
import {
  notificationChannels,
  notificationDeliveries,
  notificationRuleChannels,
  notificationSecrets,
} from '../../db/schema/notifications';
import { clock } from '../../lib/clock';
import type { Sealed } from '../../lib/crypto';
import { filterByTenant, tenantInReach } from '../../tenancy/queries/tenant-reach';

export type ChannelRow = typeof notificationChannels.$inferSelect;

const { id: channelId } = notificationChannels;

const lastDelivery = (column: SQL) => sql`(select ${column} from ${notificationDeliveries}
  where ${eq(notificationDeliveries.channel_id, channelId)} and ${notificationDeliveries.finished_at} is not null
  order by ${notificationDeliveries.finished_at} desc, ${notificationDeliveries.id} desc limit 1)`;

const columns = (now: string) =>
  selectColumns(NotificationChannel, notificationChannels, {
    tenant_name: tenants.name,
    previous_secret_until: sql<
      string | null
    >`case when ${notificationChannels.previous_secret_until} > ${now}::timestamptz
    then to_char(${notificationChannels.previous_secret_until} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`,
    rules_total: sql<number>`(select count(*)::int from ${notificationRuleChannels}
    where ${eq(notificationRuleChannels.channel_id, channelId)})`,
    last_delivery_at: sql<string | null>`${lastDelivery(
      sql`to_char(${notificationDeliveries.finished_at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    )}`,
    last_delivery_status: sql<'sent' | 'failed' | null>`${lastDelivery(sql`${notificationDeliveries.status}`)}`,
  });

const SORTS = buildSortKeys(NotificationChannel, CHANNEL_SORTS, notificationChannels);

const select = (executor: Executor) =>
  executor
    .select(columns(clock.now().toISOString()))
    .from(notificationChannels)
    .leftJoin(tenants, eq(tenants.id, notificationChannels.tenant_id))
    .$dynamic();

const inReach = (reach: TenantReach) => tenantInReach(notificationChannels.tenant_id, reach);

/** Channels visible to the caller, page by page. Two queries. */
export function listChannels(
  reach: TenantReach,
  input: NotificationChannelListInput,
): Promise<Page<NotificationChannel>> {
  const where = and(
    inReach(reach),
    ...buildConditions(input, notificationChannels, {
      q: hasText(notificationChannels.name, hasName(notificationChannels.tenant_id, tenants)),
      tenant_id: (id) => filterByTenant(notificationChannels.tenant_id, id),
    }),
  );
  return queryPage<NotificationChannel>(input, { sorts: SORTS, sort: 'name', id: channelId }, (paging) => ({
    rows: select(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(notificationChannels, where),
  }));
}

/** One channel visible to the caller, or null. */
export async function findChannel(
  executor: Executor,
  reach: TenantReach,
  id: string,
): Promise<NotificationChannel | null> {
  const [row] = await select(executor).where(and(eq(channelId, id), inReach(reach)));
  return row ?? null;
}

/** The stored channel with what is encrypted in it, to be used by a delivery. */
export async function findChannelRow(executor: Executor, id: string): Promise<ChannelRow | null> {
  const [row] = await executor.select().from(notificationChannels).where(eq(channelId, id));
  return row ?? null;
}

/** The row of a channel visible to the caller, locked until the transaction ends. */
export async function lockChannel(
  tx: Tx,
  reach: TenantReach,
  id: string,
  strength: 'no key update' | 'update' = 'no key update',
): Promise<ChannelRow | null> {
  const [row] = await tx
    .select()
    .from(notificationChannels)
    .where(and(eq(channelId, id), inReach(reach)))
    .for(strength);
  return row ?? null;
}

export async function channelNameTaken(tx: Tx, tenantId: string | null, name: string): Promise<boolean> {
  const tenant =
    tenantId === null ? isNull(notificationChannels.tenant_id) : eq(notificationChannels.tenant_id, tenantId);
  return (await tx.$count(notificationChannels, and(tenant, eq(notificationChannels.name, name)))) > 0;
}

export async function insertChannel(tx: Tx, row: typeof notificationChannels.$inferInsert): Promise<void> {
  await tx.insert(notificationChannels).values(row);
}

export async function updateChannel(tx: Tx, id: string, changes: Partial<ChannelRow>): Promise<void> {
  await tx
    .update(notificationChannels)
    .set({ ...changes, version: sql`${notificationChannels.version} + 1`, updated_at: sql`now()` })
    .where(eq(channelId, id));
}

/** Forgets secrets from before a rotation that ended before `now`. @returns how many */
export async function deleteExpiredSecrets(executor: Executor, now: string): Promise<number> {
  const rows = await executor
    .update(notificationChannels)
    .set({ previous_secret_encrypted: null, previous_secret_until: null })
    .where(lte(notificationChannels.previous_secret_until, now))
    .returning({ id: channelId });
  return rows.length;
}

export async function deleteChannelRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(notificationChannels).where(eq(channelId, id));
}

/** An encrypted setting of the notifications, or null. */
export async function findNotificationSecret(executor: Executor, id: 'smtp_password'): Promise<Sealed | null> {
  const [row] = await executor.select().from(notificationSecrets).where(eq(notificationSecrets.id, id));
  return row ? { sealed: row.value_encrypted, key_id: row.secret_key_id } : null;
}

/** Stores an encrypted setting in place of the one before; null takes it away. */
export async function storeNotificationSecret(
  tx: Tx,
  id: 'smtp_password',
  secret: Sealed | null,
  at: string,
): Promise<void> {
  if (secret === null) {
    await tx.delete(notificationSecrets).where(eq(notificationSecrets.id, id));
    return;
  }
  const values = { value_encrypted: secret.sealed, secret_key_id: secret.key_id, updated_at: at };
  await tx
    .insert(notificationSecrets)
    .values({ id, ...values })
    .onConflictDoUpdate({ target: notificationSecrets.id, set: values });
}
