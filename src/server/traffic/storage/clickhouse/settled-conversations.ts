import { sql } from 'drizzle-orm';
import { MINUTE_MS } from '@/domain/durations';
import { CONVERSATION_CLOSED_MS, CONVERSATION_IDLE_MS } from '@/domain/flow/assign-conversation';
import { db } from '../../../db/client';
import { flowOutbox } from '../../../db/schema/flow-outbox';
import { getBegunHour } from '../assign-reports';
import type { SettledConversation, SettledPosition } from '../flow-rows';
import type { FlowReach } from '../flow-selection';
import type { SettledConversations } from '../flow-store';
import { readSettledClock, SETTLED_MARGIN_MS } from '../postgres/settled-conversations';
import type { Connection } from './connection';
import { seenBy } from './conversation-conditions';
import { type ReadConversation, selectConversationColumns, toConversationRows } from './conversation-list';
import { conversationRows } from './conversation-rows';
import { all, ch, inIds, join, number, type Part, raw, second, text, time, uuid } from './statement';
import { NOT_EXPIRED } from './visible-rows';

/** What is read first of a long time; more when these are too few. */
const FIRST_MS = 5 * MINUTE_MS;
const FACTOR = 8;
const LAST_SECOND = 2 ** 32;

/**
 * When a conversation settled: never before it changed last, by the clock of PostgreSQL, whatever the clocks of nodes and processes say.
 * See the engine for PostgreSQL.
 */
const DUE = `greatest(t.changed_at,
  addMilliseconds(least(t.last_seen_at, t.changed_at), if(t.is_closed, ${CONVERSATION_CLOSED_MS}, ${CONVERSATION_IDLE_MS})))`;

type Span = { after: SettledPosition; until: string };

/** Their order, as one value: each expression that rows are sorted by is compared with all that is below, which takes longer than to sort. */
const POSITION = raw('(due_at, toString(t.id)) as position');

/** Conversations that settled in a time, for FROM with its WHERE. What settles then has changed then, or shortly before. */
function settledRows({ visible, periods }: FlowReach, { after, until }: Span): Part {
  const changed_since = new Date(Date.parse(after.due_at) - CONVERSATION_IDLE_MS).toISOString();
  const rows = conversationRows({ changed_since, changed_until: until }, periods);
  return ch`(select t.*, ${raw(DUE)} as due_at, ${POSITION} from ${rows} as t) as t where ${all([
    ch`t.position > (${time(after.due_at)}, ${text(after.id.toLowerCase())})`,
    ch`t.due_at <= ${time(until)}`,
    ...(visible === 'all' ? [] : [seenBy((of) => inIds(of, visible))]),
  ])}`;
}

type Row = ReadConversation & { due_at: string; revision: number };

const byPosition = (a: Row, b: Row) => {
  const [first, second] = [`${a.due_at} ${a.id}`, `${b.due_at} ${b.id}`];
  return first < second ? -1 : first > second ? 1 : 0;
};

const readClock: SettledConversations['readClock'] = async () => {
  // First the transactions: what they have written by then is in the outbox, or has arrived.
  const { now, complete_until } = await readSettledClock();
  const [row] = await db.execute<{ oldest_ms: number | null }>(
    sql`select (extract(epoch from min(created_at)) * 1000)::float8 as oldest_ms from ${flowOutbox}`,
  );
  const waiting = (row?.oldest_ms ?? Number.POSITIVE_INFINITY) - SETTLED_MARGIN_MS;
  return { now, complete_until: new Date(Math.min(Date.parse(complete_until), waiting)).toISOString() };
};

const listSettled =
  (connection: Connection): SettledConversations['list'] =>
  async (reach, { after, until }, limit) => {
    const read = (to: string) =>
      connection.read<Row>(ch`
        select ${selectConversationColumns(reach, until)}, concat(formatDateTime(t.due_at, '%Y-%m-%dT%H:%i:%S.'),
          leftPad(toString(toUnixTimestamp64Milli(t.due_at) % 1000), 3, '0'), '000Z') as due_at,
          toUnixTimestamp64Milli(t.changed_at) as revision
        from (select t.* from ${settledRows(reach, { after, until: to })} order by t.position limit ${number(limit)}) as t`);
    // What has changed after a moment settles after it: when enough have settled until then, later ones need not be read.
    let rows: Row[] = [];
    const end = Date.parse(until);
    for (let width = FIRST_MS, to = 0; to < end && rows.length < limit; width *= FACTOR) {
      to = Math.min(end, Date.parse(after.due_at) + width);
      rows = await read(to === end ? until : new Date(to).toISOString());
    }
    const shown = await toConversationRows(rows.sort(byPosition), reach);
    return shown.map((row): SettledConversation => {
      const { due_at, revision } = row as typeof row & Pick<SettledConversation, 'due_at' | 'revision'>;
      return { ...row, due_at, revision };
    });
  };

const countSettled =
  (connection: Connection): SettledConversations['count'] =>
  async (reach, span) => {
    const [row] = await connection.read<{ total: number }>(
      ch`select count() as total from ${settledRows(reach, span)}`,
    );
    return row?.total ?? 0;
  };

const listGone =
  (connection: Connection): SettledConversations['listGone'] =>
  async (ids) => {
    // An id that names no hour is of no conversation.
    const known = ids.filter((id) => getBegunHour(id) / 1000 < LAST_SECOND);
    if (known.length === 0) return [...ids];
    const keys = known.map((id) => ch`(${second(getBegunHour(id))}, ${uuid(id)})`);
    const found = await connection.read<{ id: string }>(ch`
      select distinct toString(f.conversation_id) as id from flows as f final
      where ${NOT_EXPIRED} and (f.began_at, f.conversation_id) in (${join(keys, ', ')})`);
    const stored = new Set(found.map(({ id }) => id));
    return ids.filter((id) => !stored.has(id.toLowerCase()));
  };

/** What reads settled conversations: they settle by the clock of PostgreSQL, and are in order once nothing older is on its way. */
export const makeSettledConversations = (connection: Connection): SettledConversations => ({
  readClock,
  list: listSettled(connection),
  count: countSettled(connection),
  listGone: listGone(connection),
});
