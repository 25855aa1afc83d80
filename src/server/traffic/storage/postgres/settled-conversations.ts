import { type SQL, sql } from 'drizzle-orm';
import { MINUTE_MS } from '@/domain/durations';
import { CONVERSATION_CLOSED_MS, CONVERSATION_IDLE_MS } from '@/domain/flow/assign-conversation';
import { db } from '../../../db/client';
import type { SettledConversation, SettledPosition } from '../flow-rows';
import type { FlowReach } from '../flow-selection';
import type { SettledConversations } from '../flow-store';
import { seenBy } from './conversation-conditions';
import { selectConversations, showEnds } from './conversation-list';
import { conversationRows, inIdList } from './visible-rows';

/** Clocks of processes differ, and a heartbeat reads the time before its transaction begins to write. */
const MARGIN_MS = MINUTE_MS;

const interval = (ms: number) => `interval '${ms} milliseconds'`;

/**
 * When a conversation settled. Whatever is written sets `updated_at`, so a change always settles it again, later than what was read
 * before. A conversation that ended because a workload moved is no exception: that is written without a new time.
 */
const DUE = sql.raw(
  `greatest(t.updated_at, t.last_seen_at + case when t.is_closed then ${interval(CONVERSATION_CLOSED_MS)} else ${interval(CONVERSATION_IDLE_MS)} end)`,
);

function within({ visible }: FlowReach, { after, until }: { after: SettledPosition; until: string }): SQL {
  const from = sql`${after.due_at}::timestamptz`;
  // The index has times of writes. What was last seen is never later than its write.
  return sql`t.updated_at >= ${from} - ${sql.raw(interval(CONVERSATION_IDLE_MS))} and t.updated_at <= ${until}::timestamptz
    and (${DUE}, t.id) > (${from}, ${after.id}::uuid) and ${DUE} <= ${until}::timestamptz
    and ${visible === 'all' ? sql`true` : seenBy((of) => inIdList(of, visible))}`;
}

const completeUntil: SettledConversations['completeUntil'] = async (now) => {
  const [row] = await db.execute<{ open_ms: number | null }>(sql`
    select (extract(epoch from clock_timestamp() - min(xact_start)) * 1000)::float8 as open_ms
    from pg_stat_activity where datname = current_database() and backend_xid is not null`);
  return new Date(Date.parse(now) - MARGIN_MS - Math.max(0, row?.open_ms ?? 0)).toISOString();
};

const list: SettledConversations['list'] = async (reach, span, limit) => {
  const page = sql`select t.*, ${DUE} as due_at from ${conversationRows(reach.periods)} as t
    where ${within(reach, span)} order by ${DUE}, t.id limit ${limit}`;
  const more = sql.raw(`, t.revision, to_char(t.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as due_at`);
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

/** See `SettledConversations`. */
export const settled: SettledConversations = { completeUntil, list, count };
