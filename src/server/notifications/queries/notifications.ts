import { and, eq, gte, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Page } from '@/domain/list';
import type { Condition } from '@/domain/notifications/condition';
import {
  MAX_ITEMS,
  Notification,
  type NotificationItem,
  type NotificationListInput,
} from '@/domain/notifications/notification';
import { getReachableTenants, isEmptyReach, type Reach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { users } from '../../db/schema/access';
import { notificationMarks, notificationReads, notifications, ownerReminders } from '../../db/schema/notifications';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';

export type NotificationRow = typeof notifications.$inferSelect;

/** Rows of one statement, far below what it can bind. */
const MARKED_AT_ONCE = 5_000;

/** The owner of the inbox, and where they may be notified now, by condition. */
export type InboxReader = { user_id: string; reach: readonly { condition: Condition; reach: Reach }[] };
type ConditionReach = InboxReader['reach'][number];

/** Notices of rules: of the installation for users who see all of it, otherwise of whole tenants. A role for one project shows none. */
function reported({ condition, reach }: ConditionReach): SQL | undefined {
  const tenants = getReachableTenants(reach);
  if (tenants !== 'all' && tenants.length === 0) return undefined;
  const place = tenants === 'all' ? isNull(notifications.tenant_id) : inArray(notifications.tenant_id, [...tenants]);
  return and(isNull(notifications.user_id), eq(notifications.condition, condition), place);
}

/** Reminders of what the reader owns, where they may still see it. */
const reminded = ({ condition, reach }: ConditionReach): SQL | undefined =>
  isEmptyReach(reach) ? undefined : and(eq(notifications.condition, condition), ownedInReach(notifications, reach));

/** The contents of the reader's inbox. Notifications from before the account existed are not in it. */
function inInbox({ user_id, reach }: InboxReader): SQL | undefined {
  return and(
    eq(notifications.in_app, true),
    sql`${notifications.created_at} >= (select ${users.created_at} from ${users} where ${eq(users.id, user_id)})`,
    or(
      and(eq(notifications.user_id, user_id), or(isNull(notifications.condition), ...reach.map(reminded))),
      ...reach.map(reported),
    ),
  );
}

const isUnread = (userId: string): SQL => sql`(${notifications.id} > coalesce((select ${notificationMarks.read_through}
    from ${notificationMarks} where ${eq(notificationMarks.user_id, userId)}), '00000000-0000-0000-0000-000000000000'::uuid)
  and not exists (select 1 from ${notificationReads} where ${and(
    eq(notificationReads.user_id, userId),
    eq(notificationReads.notification_id, notifications.id),
  )}))`;

const SORTS = buildSortKeys(Notification, ['created_at'], notifications);

const firstItems = sql<
  NotificationItem[]
>`jsonb_path_query_array(${notifications.items}, ${`$[0 to ${MAX_ITEMS - 1}]`}::jsonpath)`;

/** The reader's notices, newest first; `q` is part of the title or of the detail. Two queries. */
export function listNotifications(reader: InboxReader, input: NotificationListInput): Promise<Page<Notification>> {
  const unread = isUnread(reader.user_id);
  const where = and(
    inInbox(reader),
    ...buildConditions(input, notifications, {
      q: hasText(notifications.title, notifications.detail, notifications.rule_name),
      unread: (requested) => (requested ? unread : sql`not ${unread}`),
    }),
  );
  const list = { sorts: SORTS, sort: '-created_at', id: notifications.id };
  return queryPage<Notification>(input, list, (paging) => ({
    rows: db
      .select(selectColumns(Notification, notifications, { items: firstItems, unread: sql<boolean>`${unread}` }))
      .from(notifications)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(notifications, where),
  }));
}

/** How many notices the reader has not read, counted up to `most`. One query. */
export async function countUnread(reader: InboxReader, most: number): Promise<number> {
  const found = db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(inInbox(reader), isUnread(reader.user_id)))
    .limit(most)
    .as('found');
  return db.$count(found);
}

/** Marks these notices of the reader's inbox as read; others are left alone. */
export async function markRead(tx: Tx, reader: InboxReader, ids: readonly string[], at: string): Promise<void> {
  const rows = await tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(inArray(notifications.id, [...ids]), inInbox(reader)));
  if (rows.length === 0) return;
  await tx
    .insert(notificationReads)
    .values(rows.map(({ id }) => ({ user_id: reader.user_id, notification_id: id, read_at: at })))
    .onConflictDoNothing();
}

/** As `markReadThrough`, one by one: for readers who may see a part of their inbox only. */
export async function markEachReadThrough(tx: Tx, reader: InboxReader, id: string, at: string): Promise<void> {
  const unread = await tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(lte(notifications.id, id), inInbox(reader), isUnread(reader.user_id)));
  for (let from = 0; from < unread.length; from += MARKED_AT_ONCE) {
    const rows = unread.slice(from, from + MARKED_AT_ONCE);
    await tx
      .insert(notificationReads)
      .values(rows.map((row) => ({ user_id: reader.user_id, notification_id: row.id, read_at: at })))
      .onConflictDoNothing();
  }
}

/** Marks everything up to and including this notice of the reader's inbox as read; nothing becomes unread by it. */
export async function markReadThrough(tx: Tx, reader: InboxReader, id: string, at: string): Promise<void> {
  const userId = reader.user_id;
  if ((await tx.$count(notifications, and(eq(notifications.id, id), inInbox(reader)))) === 0) return;
  await tx
    .insert(notificationMarks)
    .values({ user_id: userId, read_through: id, updated_at: at })
    .onConflictDoUpdate({
      target: notificationMarks.user_id,
      set: { read_through: sql`greatest(${notificationMarks.read_through}, excluded.read_through)`, updated_at: at },
    });
  await tx.delete(notificationReads).where(
    and(
      eq(notificationReads.user_id, userId),
      sql`${notificationReads.notification_id} <= (select ${notificationMarks.read_through} from ${notificationMarks}
          where ${eq(notificationMarks.user_id, userId)})`,
    ),
  );
}

/**
 * Sets marks back that are beyond a notice which is only now stored: they are of a clock that was ahead and was put back since. What they
 * covered is noted one by one instead.
 */
async function lowerMarks(tx: Tx, id: string): Promise<void> {
  const { user_id, read_through } = notificationMarks;
  await tx.execute(sql`
    insert into ${notificationReads} (user_id, notification_id)
    select ${user_id}, n.id from ${notificationMarks}
    join ${notifications} as n on n.id > ${id} and n.id <= ${read_through} and (n.user_id is null or n.user_id = ${user_id})
    where ${read_through} >= ${id} on conflict do nothing`);
  await tx
    .update(notificationMarks)
    .set({
      read_through: sql`coalesce((select n.id from ${notifications} as n where n.id < ${id} order by n.id desc limit 1),
        '00000000-0000-0000-0000-000000000000'::uuid)`,
    })
    .where(gte(read_through, id));
}

/** Stores a notice, which no one has read yet. */
export async function insertNotification(
  tx: Tx,
  row: typeof notifications.$inferInsert & { id: string },
): Promise<void> {
  await lowerMarks(tx, row.id);
  await tx.insert(notifications).values(row);
}

export async function findNotification(executor: Executor, id: string): Promise<NotificationRow | null> {
  const [row] = await executor.select().from(notifications).where(eq(notifications.id, id));
  return row ?? null;
}

export type NewReminder = Omit<typeof ownerReminders.$inferInsert, 'id' | 'created_at'>;

/** Notes reminders of owners. @returns the ids of those that were not sent before */
export async function insertReminders(
  tx: Tx,
  rows: readonly (NewReminder & { readonly id: string })[],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const stored = await tx
    .insert(ownerReminders)
    .values([...rows])
    .onConflictDoNothing()
    .returning({ id: ownerReminders.id });
  return stored.map(({ id }) => id);
}
