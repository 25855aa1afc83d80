import { and, asc, eq, inArray, lt, lte, not, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { DELIVERY_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { NotificationDelivery, type NotificationDeliveryListInput } from '@/domain/notifications/delivery';
import type { TenantReach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { tenants } from '../../db/schema/access';
import { notificationDeliveries, notifications } from '../../db/schema/notifications';
import { filterByTenant, tenantInReach } from '../../tenancy/queries/tenant-reach';

export type DeliveryRow = typeof notificationDeliveries.$inferSelect;

const columns = selectColumns(NotificationDelivery, notificationDeliveries, {
  tenant_name: tenants.name,
  rule_name: notifications.rule_name,
  event: notifications.event,
  condition: notifications.condition,
  title: notifications.title,
});
const SORTS = buildSortKeys(NotificationDelivery, DELIVERY_SORTS, columns);

const from = (executor: Executor) =>
  executor
    .select(columns)
    .from(notificationDeliveries)
    .innerJoin(notifications, eq(notifications.id, notificationDeliveries.notification_id))
    .leftJoin(tenants, eq(tenants.id, notificationDeliveries.tenant_id))
    .$dynamic();

const inReach = (reach: TenantReach) => tenantInReach(notificationDeliveries.tenant_id, reach);

/** Deliveries visible to the caller, page by page, newest first. Two queries. */
export function listDeliveries(
  reach: TenantReach,
  input: NotificationDeliveryListInput,
): Promise<Page<NotificationDelivery>> {
  const where: SQL | undefined = and(
    inReach(reach),
    ...buildConditions(input, notificationDeliveries, {
      q: hasText(
        notifications.title,
        notifications.rule_name,
        notificationDeliveries.channel_name,
        hasName(notificationDeliveries.tenant_id, tenants),
      ),
      event: (event) => eq(notifications.event, event),
      tenant_id: (id) => filterByTenant(notificationDeliveries.tenant_id, id),
    }),
  );
  const list = { sorts: SORTS, sort: '-created_at', id: notificationDeliveries.id };
  return queryPage<NotificationDelivery>(input, list, (paging) => ({
    rows: from(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(from(db).where(where).as('matches')),
  }));
}

/** One delivery visible to the caller, or null. */
export async function findDelivery(
  executor: Executor,
  reach: TenantReach,
  id: string,
): Promise<NotificationDelivery | null> {
  const [row] = await from(executor).where(and(eq(notificationDeliveries.id, id), inReach(reach)));
  return row ?? null;
}

/** The row of a delivery visible to the caller, locked until the transaction ends. */
export async function lockDelivery(tx: Tx, reach: TenantReach, id: string): Promise<DeliveryRow | null> {
  const [row] = await tx
    .select()
    .from(notificationDeliveries)
    .where(and(eq(notificationDeliveries.id, id), inReach(reach)))
    .for('no key update');
  return row ?? null;
}

export async function insertDeliveries(
  tx: Tx,
  rows: readonly (typeof notificationDeliveries.$inferInsert)[],
): Promise<void> {
  if (rows.length > 0) await tx.insert(notificationDeliveries).values([...rows]);
}

/** More than any delivery waits between attempts, and any sender needs: times further ahead are of a clock that was put back since. */
const isAhead = (column: PgColumn, now: string) => sql`${column} > ${now}::timestamptz + interval '65 minutes'`;

const expired = (now: string, before: string) =>
  and(
    eq(notificationDeliveries.status, 'sending'),
    or(lt(notificationDeliveries.lease_at, before), isAhead(notificationDeliveries.lease_at, now)),
  );

const isDue = (now: string) =>
  or(lte(notificationDeliveries.next_attempt_at, now), isAhead(notificationDeliveries.next_attempt_at, now));

/** Joins the notice `o` of a problem and the notice `c` of an end that have incidents in common: one opens at the time of its notice. */
const HAVE_INCIDENTS = sql`o.event = 'opened' and c.event = 'closed' and o.condition = c.condition
  and o.rule_id is not distinct from c.rule_id
  and o.created_at in (select (i ->> 'opened_at')::timestamptz from jsonb_array_elements(c.items) i)`;

/** An end waits until the channel was sent the problem, or that has failed; of a mail, until some recipients have it. */
const isWaiting = sql`exists (select from ${notifications} c join ${notifications} o on ${HAVE_INCIDENTS}
  join ${notificationDeliveries} d on d.notification_id = o.id
  where c.id = ${notificationDeliveries.notification_id} and d.channel_id = ${notificationDeliveries.channel_id}
    and (d.status = 'sending' or d.status = 'queued' and cardinality(d.reached) = 0))`;

/** Some attempt of a delivery `d` may have arrived. */
const wasTried = sql`(d.attempts > 0 or d.items_sent > 0 or cardinality(d.reached) > 0)`;

type NoticeOfChannel = Pick<DeliveryRow, 'notification_id' | 'channel_id'>;

/** Incidents of a problem whose end its channel was sent, or is being sent; of a mail, whose end some recipients have. */
export async function listEndedIncidents(
  executor: Executor,
  { notification_id, channel_id }: NoticeOfChannel,
): Promise<ReadonlySet<string>> {
  const rows = await executor.execute<{ id: string }>(sql`
    select e ->> 'incident_id' as id from ${notifications} o join ${notifications} c on ${HAVE_INCIDENTS}
    join ${notificationDeliveries} d on d.notification_id = c.id cross join jsonb_array_elements(c.items) e
    where o.id = ${notification_id} and d.channel_id = ${channel_id} and (d.status in ('sending', 'sent') or cardinality(d.reached) > 0)`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Incidents of an end that its channel was sent, or that an attempt may have sent it, at most `step` of them in one request. So do those
 * of which that is not stored any more: their notice has expired, or an earlier release kept only the first of its incidents.
 */
export async function listSentIncidents(
  executor: Executor,
  { notification_id, channel_id }: NoticeOfChannel,
  step: number,
): Promise<ReadonlySet<string>> {
  const rows = await executor.execute<{ id: string; ahead: number }>(sql`
    select e.item ->> 'incident_id' as id,
      (case when d.status = 'sent' then 0 else e.position - d.items_sent end)::int as ahead
    from ${notifications} c join ${notifications} o on ${HAVE_INCIDENTS}
    join ${notificationDeliveries} d on d.notification_id = o.id
    cross join jsonb_array_elements(o.items) with ordinality e(item, position)
    where c.id = ${notification_id} and d.channel_id = ${channel_id} and ${wasTried}
    union all
    select i ->> 'incident_id', 0 from ${notifications} c cross join jsonb_array_elements(c.items) i
    left join ${notifications} o on o.event = 'opened' and o.condition = c.condition
      and o.rule_id is not distinct from c.rule_id and o.created_at = (i ->> 'opened_at')::timestamptz
    left join ${notificationDeliveries} d on d.notification_id = o.id and d.channel_id = ${channel_id}
    where c.id = ${notification_id} and c.event = 'closed'
      and (o.id is null or o.items_total > jsonb_array_length(o.items) and ${wasTried})`);
  return new Set(rows.filter(({ ahead }) => ahead <= step).map(({ id }) => id));
}

/** Deliveries that are due at `now`, or whose sender has not been heard of since `leaseBefore`, the longest due first. */
export async function listDueDeliveries(
  executor: Executor,
  now: string,
  leaseBefore: string,
  limit: number,
): Promise<string[]> {
  const rows = await executor
    .select({ id: notificationDeliveries.id })
    .from(notificationDeliveries)
    .where(
      and(
        inArray(notificationDeliveries.status, ['queued', 'sending']),
        isDue(now),
        or(eq(notificationDeliveries.status, 'queued'), expired(now, leaseBefore)),
        not(isWaiting),
      ),
    )
    .orderBy(asc(notificationDeliveries.next_attempt_at), asc(notificationDeliveries.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Claims a delivery that is due, for one attempt. Null when it is not due, when another worker has it, or when it waits for another. */
export async function claimDelivery(
  executor: Executor,
  id: string,
  owner: string,
  now: string,
  leaseBefore: string,
): Promise<DeliveryRow | null> {
  const [row] = await executor
    .update(notificationDeliveries)
    .set({
      status: 'sending',
      lease_owner: owner,
      lease_at: now,
      attempts: sql`${notificationDeliveries.attempts} + 1`,
    })
    .where(
      and(
        eq(notificationDeliveries.id, id),
        isDue(now),
        or(eq(notificationDeliveries.status, 'queued'), expired(now, leaseBefore)),
        not(isWaiting),
      ),
    )
    .returning();
  return row ?? null;
}

/** Stores how an attempt ended, unless another worker took the delivery over. @returns whether it was written */
export async function settleDelivery(
  tx: Tx,
  { id, lease_owner }: Pick<DeliveryRow, 'id' | 'lease_owner'>,
  outcome: Pick<
    DeliveryRow,
    'status' | 'attempts' | 'items_sent' | 'next_attempt_at' | 'response_status' | 'error' | 'finished_at'
  >,
): Promise<boolean> {
  if (lease_owner === null) return false;
  const rows = await tx
    .update(notificationDeliveries)
    .set({ ...outcome, lease_owner: null, lease_at: null })
    .where(
      and(
        eq(notificationDeliveries.id, id),
        eq(notificationDeliveries.status, 'sending'),
        eq(notificationDeliveries.lease_owner, lease_owner),
      ),
    )
    .returning({ id: notificationDeliveries.id });
  return rows.length > 0;
}

/** Restarts a delivery that failed; with a problem also its end, if that failed on the same channel. @returns the ids */
export async function requeueDelivery(
  tx: Tx,
  { id, notification_id, channel_id }: NoticeOfChannel & Pick<DeliveryRow, 'id'>,
  now: string,
): Promise<string[]> {
  const isEnd = sql`${notificationDeliveries.status} = 'failed' and ${notificationDeliveries.channel_id} = ${channel_id}
    and ${notificationDeliveries.notification_id} in (select c.id from ${notifications} o join ${notifications} c
      on ${HAVE_INCIDENTS} where o.id = ${notification_id})`;
  const rows = await tx
    .update(notificationDeliveries)
    .set({ status: 'queued', attempts: 0, next_attempt_at: now, response_status: null, error: null, finished_at: null })
    .where(or(eq(notificationDeliveries.id, id), isEnd))
    .returning({ id: notificationDeliveries.id });
  return rows.map((row) => row.id);
}

/** Notes which recipients of a mail have it: a further attempt is for the others. */
export async function storeReachedRecipients(
  executor: Executor,
  { id, lease_owner }: Pick<DeliveryRow, 'id' | 'lease_owner'>,
  reached: string[],
): Promise<void> {
  if (lease_owner === null) return;
  await executor
    .update(notificationDeliveries)
    .set({ reached })
    .where(and(eq(notificationDeliveries.id, id), eq(notificationDeliveries.lease_owner, lease_owner)));
}
