import { type SQL, sql } from 'drizzle-orm';
import { HOUR_MS, MINUTE_MS } from '@/domain/durations';
import { MAX_CONVERSATIONS_COUNTED } from '@/domain/flow/conversation';
import { toVisibleCidr } from '@/domain/flow/flow-end';
import type { Page } from '@/domain/list';
import { db } from '../../../db/client';
import { decodeCursor } from '../../../db/keyset';
import { buildOrder, queryPage, type SortKeys, withCursorErrors } from '../../../db/query-page';
import { CONVERSATION_SPAN } from '../../../db/schema/flows';
import { readSnapshot } from '../../../db/stream-rows';
import { toAsyncGenerator } from '../../../lib/to-async-generator';
import type { ConversationRow, ConversationRowEnd } from '../flow-rows';
import type { ConversationSelection, FlowReach } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import {
  conversationConditions,
  getFrom,
  isEnded,
  matchConditions,
  sizeClass,
  toSlot,
} from './conversation-conditions';
import { cidrIfVisible, conversationRows, getWorkloadNameColumn, ifVisible } from './visible-rows';

const column = (name: string): SQL => sql.raw(`t.${name}`);
const time = (name: string): string => `to_char(t.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const DURATION = `(extract(epoch from t.last_seen_at - t.first_seen_at) * 1000)::float8`;

const SORTS = {
  last_seen_at: { column: column('last_seen_at'), type: 'time' },
  bytes: { column: column('bytes'), type: 'number', nullable: true },
  duration_ms: { column: sql.raw(DURATION), type: 'number' },
} satisfies SortKeys;

/**
 * Slot or class by which the index has the rows in order already: only what is in one of them is sorted. With a cursor, the index
 * begins there.
 */
function buildCoarseOrder(sort: string, cursor: string | undefined): { order: SQL[]; after: SQL[] } {
  const isDescending = sort.startsWith('-');
  if (sort.endsWith('last_seen_at')) {
    const value = cursor === undefined ? null : decodeCursor(cursor, SORTS.last_seen_at.type)[0];
    const after = sql`t.seen_slot ${sql.raw(isDescending ? '<=' : '>=')} ${toSlot(sql`${value}::timestamptz`)}`;
    return { order: [sql.raw(`t.seen_slot ${isDescending ? 'desc' : 'asc'}`)], after: value === null ? [] : [after] };
  }
  // What was not counted is the smallest class, and the end of either order.
  if (sort !== '-bytes') return { order: [], after: [] };
  const value = cursor === undefined ? null : decodeCursor(cursor, SORTS.bytes.type, true)[0];
  const after = sql`t.size_class <= ${sizeClass(sql`${value}::bigint`)}`;
  return { order: [sql.raw('t.size_class desc')], after: value === null ? [] : [after] };
}

const PLAIN = ['id', 'cluster_id', 'protocol', 'service_port', 'icmp_type', 'action', 'decision', 'is_client_known'];
const COUNTERS = ['bytes', 'packets', 'client_bytes', 'client_packets', 'server_bytes', 'server_packets'];

function buildEnd(who: 'client' | 'server', reach: FlowReach): SQL {
  const alias = who === 'client' ? 'cw' : 'sw';
  const cidr = cidrIfVisible(column(`${who}_cidr`), column(`${who}_workload_id`), reach);
  return sql`json_build_object('ip', host(${column(`${who}_ip`)}), 'port', ${column(`${who}_port`)},
    'workload_id', ${sql.raw(alias)}.id, 'workload_name', ${getWorkloadNameColumn(alias, reach.periods)}, 'cidr', (${cidr})::text) as ${sql.raw(who)}`;
}

/** Rows as they are shown: four lookups for each row of `page`. `more` are further columns. */
export function selectConversations(reach: FlowReach, page: SQL, now: string, more = sql``): SQL {
  const { visible } = reach;
  const observer = ifVisible(column('workload_id'), visible);
  return sql`
    select ${sql.raw([...PLAIN, 'icmp_code'].map((name) => `t.${name}`).join(', '))},
      ${sql.raw(COUNTERS.map((name) => `t.${name}::float8`).join(', '))},
      ${sql.raw(`${time('first_seen_at')} as first_seen_at, ${time('last_seen_at')} as last_seen_at, ${DURATION} as duration_ms`)},
      ${isEnded(now)} as is_ended, ${observer} as workload_id, case when ${observer} is not null then t.nic end as nic,
      ${buildEnd('client', reach)}, ${buildEnd('server', reach)}, clusters.name as cluster_name,
      (select json_agg(json_build_object('id', n.id, 'name', nodes.name) order by nodes.name, n.id)
        from unnest(t.node_ids) as n(id) left join nodes on nodes.id = n.id) as nodes${more}
    from (${page}) as t
    left join clusters on clusters.id = t.cluster_id
    left join workloads as cw on cw.id = ${ifVisible(column('client_workload_id'), visible)}
    left join workloads as sw on sw.id = ${ifVisible(column('server_workload_id'), visible)}`;
}

const showCidr = (end: ConversationRowEnd): ConversationRowEnd => ({
  ...end,
  is_external: end.cidr === null,
  cidr: toVisibleCidr(end.cidr),
});

/** Adds what is shown of the subnets at the ends. */
export const showEnds = <R extends ConversationRow>(row: R): R => ({
  ...row,
  client: showCidr(row.client),
  server: showCidr(row.server),
});

/** Of `is_long`. */
const LONG_MS = 5 * MINUTE_MS;

/** What is longer is not read slot by slot. */
const MAX_SLOTTED_MS = 2 * HOUR_MS;

/** A part of the selected rows; with slots, what is in each of them. */
type Part = { where: SQL; slots: SQL | null };

/**
 * The selected rows in parts that the indexes find. Of a range in the past: what was last seen soon after it, and what lasted longer;
 * without this, everything that came after it would be read first. Of a short range the first part is read slot by slot, if that is of
 * use for the order; what clocks that are ahead reported comes after the last slot.
 */
function splitSelection(selection: ConversationSelection, isSlotted: boolean): Part[] {
  const { until, now } = selection;
  const where = conversationConditions(selection);
  const isOver = until !== null && Date.parse(until) + LONG_MS < Date.parse(now);
  const to = isOver ? new Date(Date.parse(until) + LONG_MS).toISOString() : now;
  const border = sql`${to}::timestamptz`;
  const from = getFrom(selection);
  const isInSlots = isSlotted && Date.parse(to) - Date.parse(from) <= MAX_SLOTTED_MS;
  if (!isOver && !isInSlots) return [{ where, slots: null }];
  const isLater = isOver
    ? sql`t.is_long and ${CONVERSATION_SPAN} @> tstzrange(${until}::timestamptz, ${border}, '[]')`
    : sql`true`;
  return [
    isInSlots
      ? {
          // Only of the first slot it says something. The planner does not see what it is about, or would expect next to nothing.
          where: sql`t.seen_slot = slot and coalesce(t.last_seen_at >= ${from}::timestamptz, false) and ${matchConditions(selection)}`,
          slots: sql`generate_series(${toSlot(sql`${from}::timestamptz`)}, ${border}, '5 minutes')`,
        }
      : { where: sql`${where} and t.seen_slot <= ${border}`, slots: null },
    { where: sql`${where} and t.seen_slot > ${border} and ${isLater}`, slots: null },
  ];
}

/**
 * The first rows of a part. The largest ones are found in each slot: the index by size would read those of all times, and that by slots
 * everything in the range.
 */
function selectFirst(rows: SQL, { where, slots }: Part, by: SQL, limit: number): SQL {
  const first = sql`(select t.* from ${rows} as t where ${where} order by ${by} limit ${limit})`;
  return slots === null ? first : sql`(select t.* from ${slots} as slot cross join lateral ${first} as t)`;
}

async function readRows(
  selection: ConversationSelection,
  parts: readonly Part[],
  order: readonly SQL[],
  limit: number,
) {
  const by = sql.join([...order], sql`, `);
  const rows = conversationRows(selection.periods);
  const found = parts.map((part) => selectFirst(rows, part, by, limit));
  const page = sql`select t.* from (${sql.join(found, sql` union all `)}) as t order by ${by} limit ${limit}`;
  const shown = await db.execute<ConversationRow>(
    sql`${selectConversations(selection, page, selection.now)} order by ${by}`,
  );
  return shown.map(showEnds);
}

const LIST = { sorts: SORTS, sort: '-last_seen_at', id: column('id') };

/** Conversations page by page; at most `MAX_CONVERSATIONS_COUNTED` are counted. Two queries. */
export const listStoredConversations: FlowStore['conversations']['list'] = (selection, input) => {
  const sort = input.sort ?? '-last_seen_at';
  const parts = splitSelection(selection, sort === '-bytes');
  const coarse = buildCoarseOrder(sort, input.cursor);
  return queryPage<ConversationRow>(input, LIST, ({ after, order, limit }) => ({
    rows: readRows(
      selection,
      parts.map(({ where, slots }) => ({
        where: sql.join([where, ...(after ? [after] : []), ...coarse.after], sql` and `),
        slots,
      })),
      [...coarse.order, ...order],
      limit,
    ),
    total: db
      .execute<{ total: number }>(
        sql`select count(*)::int as total from (${sql.join(
          splitSelection(selection, false).map(
            ({ where }) =>
              sql`(select 1 from ${conversationRows(selection.periods)} as t where ${where} limit ${MAX_CONVERSATIONS_COUNTED + 1})`,
          ),
          sql` union all `,
        )}) as t`,
      )
      .then((rows) => rows[0]?.total ?? 0),
  })) as Promise<Page<ConversationRow>>;
};

/** All conversations in their order, of one state of the database. */
export const streamStoredConversations: FlowStore['conversations']['stream'] = (selection, input) =>
  toAsyncGenerator((give) => {
    const { after, order } = buildOrder(input, LIST);
    const where = sql.join([conversationConditions(selection), ...(after ? [after] : [])], sql` and `);
    const rows = sql`select t.* from ${conversationRows(selection.periods)} as t where ${where}`;
    const query = sql`${selectConversations(selection, rows, selection.now)} order by ${sql.join(order, sql`, `)}`;
    return withCursorErrors(
      input.cursor,
      readSnapshot((snapshot) => snapshot.each<ConversationRow>(query, (found) => give(found.map(showEnds))), {
        sorts: true,
      }),
    );
  });
