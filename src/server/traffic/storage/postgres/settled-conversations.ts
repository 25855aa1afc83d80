import { type SQL, sql } from 'drizzle-orm';
import { MINUTE_MS } from '@/domain/durations';
import { CONVERSATION_CLOSED_MS, CONVERSATION_IDLE_MS } from '@/domain/flow/assign-conversation';
import { db } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { trafficConversations } from '../../../db/schema/flows';
import type { SettledConversation, SettledPosition } from '../flow-rows';
import type { FlowReach } from '../flow-selection';
import type { SettledConversations } from '../flow-store';
import { seenBy } from './conversation-conditions';
import { selectConversations, showEnds } from './conversation-list';
import { conversationRows, inIdList } from './visible-rows';

/** A transaction counts as writing from its first row on, a moment after the statement took the time of the write. */
export const SETTLED_MARGIN_MS = MINUTE_MS;

const interval = (ms: number) => `interval '${ms} milliseconds'`;

/**
 * When a conversation settled, by the database's clock: never before its last write, whatever the clocks of nodes and processes say.
 * Whatever changes it sets `updated_at`, so a change always settles it again, later than what was read before. Its end when a workload
 * moves, and flows of it that expire, are no changes.
 */
const DUE = sql.raw(
  `greatest(t.updated_at, least(t.last_seen_at, t.updated_at) + case when t.is_closed then ${interval(CONVERSATION_CLOSED_MS)} else ${interval(CONVERSATION_IDLE_MS)} end)`,
);

function within({ visible }: FlowReach, { after, until }: { after: SettledPosition; until: string }): SQL {
  const from = sql`${after.due_at}::timestamptz`;
  // The index has times of writes.
  return sql`t.updated_at >= ${from} - ${sql.raw(interval(CONVERSATION_IDLE_MS))} and t.updated_at <= ${until}::timestamptz
    and (${DUE}, t.id) > (${from}, ${after.id}::uuid) and ${DUE} <= ${until}::timestamptz
    and ${visible === 'all' ? sql`true` : seenBy((of) => inIdList(of, visible))}`;
}

/** By the transactions of this database only. */
export const readSettledClock: SettledConversations['readClock'] = async () => {
  const [row] = await db.execute<{ now_ms: number; oldest_ms: number }>(sql`
    select now_ms, least(now_ms, oldest_ms) as oldest_ms from (
      select (extract(epoch from now()) * 1000)::float8 as now_ms, (extract(epoch from min(xact_start)) * 1000)::float8 as oldest_ms
      from pg_stat_activity where datname = current_database() and backend_xid is not null) as times`);
  if (!row) throw new Error('expected the time of the database');
  return {
    now: new Date(row.now_ms).toISOString(),
    complete_until: new Date(row.oldest_ms - SETTLED_MARGIN_MS).toISOString(),
  };
};

const list: SettledConversations['list'] = async (reach, span, limit) => {
  const page = sql`select t.*, ${DUE} as due_at from ${conversationRows(reach.periods)} as t
    where ${within(reach, span)} order by ${DUE}, t.id limit ${limit}`;
  const more = sql.raw(
    `, (coalesce(t.moved_revision, 0) + t.revision)::float8 as revision, to_char(t.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as due_at`,
  );
  const rows = await db.execute<SettledConversation>(
    sql`${selectConversations(reach, page, span.until, more)} order by t.due_at, t.id`,
  );
  return rows.map(showEnds);
};

const count: SettledConversations['count'] = async (reach, span) => {
  const [row] = await db.execute<{ total: number }>(sql`
    select count(*)::float8 as total from ${conversationRows(reach.periods)} as t where ${within(reach, span)}`);
  return row?.total ?? 0;
};

const listGone: SettledConversations['listGone'] = async (ids) => {
  const rows = await db.execute<{ id: string }>(sql`
    select id from unnest(${pgArray('uuid', ids)}) as id
    where not exists (select 1 from ${trafficConversations} as t where t.id = id.id)`);
  return rows.map(({ id }) => id);
};

/** See `SettledConversations`. */
export const settled: SettledConversations = { readClock: readSettledClock, list, count, listGone };
