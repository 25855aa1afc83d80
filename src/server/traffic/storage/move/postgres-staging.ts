import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';
import type { Db, Tx } from '../../../db/client';
import {
  movingConversations,
  movingFlows,
  movingHours,
  movingMinutes,
  movingParts,
} from '../../../db/schema/flow-moves';
import { unnestRows } from '../../../db/unnest-rows';
import { AppError } from '../../../lib/errors';
import { FLOW_COLUMNS } from '../postgres/append-flows';
import { ADDED_TOTALS, ROLLUP_COLUMN_TYPES } from '../postgres/minutes';
import { storeMovedConversations } from '../postgres/store-conversations';
import { PART_COLUMNS } from '../postgres/unresolved-minutes';
import type { DayTotal } from './day-totals';
import { type Move, type MoveDay, type MoveKind, updateDay } from './move-record';
import {
  MOVED_FLOW_COLUMNS,
  MOVED_PART_COLUMNS,
  MOVED_TOTAL_COLUMNS,
  type MovedFlow,
  type MovedPart,
  type MovedTotal,
} from './moved-rows';
import { BUCKET_HOUR, begunSeconds, HOUR, MS, SUMS, sumText } from './postgres-history';

/** In which a day is put together. */
const STAGED = {
  flows: [movingFlows],
  totals: [movingMinutes, movingHours, movingParts],
} as const satisfies Record<MoveKind, readonly PgTable[]>;

/** Conversations that are attached together, and pages of totals. */
const CHUNK_CONVERSATIONS = 2_000;
const CHUNK_PAGES = 64;

const list = (columns: object) => Object.keys(columns).join(', ');

const truncate = async (client: postgres.Sql, tables: readonly PgTable[]) => {
  await client.unsafe(`truncate ${tables.map(getTableName).join(', ')}`);
};

/** Removes what an earlier attempt has copied of a day. */
export const emptyPostgresStaging = (client: postgres.Sql, kind: MoveKind): Promise<void> =>
  truncate(client, STAGED[kind]);

/** Removes all that a move has put there. */
export const clearPostgresStaging = (client: postgres.Sql): Promise<void> =>
  truncate(client, [...STAGED.flows, ...STAGED.totals, movingConversations]);

export async function stageFlows(tx: Tx, rows: readonly MovedFlow[]): Promise<void> {
  await tx.execute(sql`insert into ${movingFlows} (${sql.raw(list(MOVED_FLOW_COLUMNS))})
    select r.* from ${unnestRows(MOVED_FLOW_COLUMNS, 'flow_key', rows)} as r`);
}

export async function stageTotals(tx: Tx, source: 'minutes' | 'hours', rows: readonly MovedTotal[]): Promise<void> {
  await tx.execute(sql`insert into ${sql.raw(`moving_${source}`)} (${sql.raw(list(MOVED_TOTAL_COLUMNS))})
    select r.* from ${unnestRows(MOVED_TOTAL_COLUMNS, 'rollup_key', rows)} as r`);
}

export async function stageParts(tx: Tx, rows: readonly MovedPart[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`insert into ${movingParts} (${sql.raw(list(MOVED_PART_COLUMNS))})
    select r.* from ${unnestRows(MOVED_PART_COLUMNS, 'flow_key', rows)} as r`);
}

const selectByHour = (what: string, rows: string, from: string) => `
  select '${what}' as what, ${HOUR(BUCKET_HOUR)} as at, ${rows} as rows, ${SUMS.map(sumText).join(', ')} from ${from} group by ${BUCKET_HOUR}`;
const BOTH = ['moving_minutes', 'moving_hours'].map((name) => `select bucket_at, ${SUMS.join(', ')} from ${name}`);
const TOTALS: Record<MoveKind, string> = {
  flows: `
    select 'flows' as what, ${HOUR('to_timestamp(h)')} as at, count(*)::text as rows, ${sumText('bytes')}, ${sumText('packets')},
      ${MS('min(first_seen_at)')} || '-' || ${MS('max(observed_at)')} as flows
    from (select t.*, ${begunSeconds('t.conversation_id')} as h from moving_flows as t) as t group by h`,
  totals: [
    selectByHour('minutes', 'count(*)::text', 'moving_minutes'),
    selectByHour('hours', `'-'`, `(${BOTH.join(' union all ')}) as both_of`),
    selectByHour('parts of minutes', `'-'`, 'moving_parts'),
  ].join(' union all '),
};

/** What has been copied of a day, by the hour. */
export const readPostgresStagedTotals = (client: postgres.Sql, kind: MoveKind): Promise<DayTotal[]> =>
  client.unsafe<DayTotal[]>(TOTALS[kind]);

/** The stored row of a flow that is on its way (`m`). */
const SAME_FLOW = sql.raw(`t.conversation_id = m.conversation_id and t.node_id = m.node_id and t.decision = m.decision
  and (t.source_ip, t.destination_ip) = (m.source_ip, m.destination_ip) and t.source_port is not distinct from m.source_port
  and t.destination_port is not distinct from m.destination_port`);

/**
 * Gives flows to the tables that are read, and makes their conversations. What was copied before the switch is there, and has what was
 * reported since. @param chunk which rows of `moving_flows` (`m`): all of each conversation
 * @throws AppError `conflict` when a flow that is there has less than it had
 */
export async function placeFlows(tx: Tx, chunk: SQL): Promise<void> {
  const less = await tx.execute<{ id: string }>(sql`
    select m.conversation_id as id from moving_flows as m
    cross join lateral (select * from traffic_flows as t where ${SAME_FLOW} offset 0) as t
    where ${chunk} and (coalesce(t.bytes, 0) < coalesce(m.bytes, 0) or coalesce(t.packets, 0) < coalesce(m.packets, 0)
      or t.observed_at < m.observed_at) limit 1`);
  if (less[0]) {
    throw new AppError(
      'conflict',
      `Conversation ${less[0].id}, which was copied before the switch, has less in PostgreSQL than in ClickHouse. Nothing was deleted there. Report this with the versions of Fabric.`,
    );
  }
  const columns = sql.raw(`node_id, cluster_id, created_at, updated_at, ${list(FLOW_COLUMNS)}`);
  const placed = await tx.execute<{ ids: string | null }>(sql`
    with placed as (
      insert into traffic_flows (${columns}) select ${columns} from moving_flows as m
      where ${chunk} and not exists (select 1 from traffic_flows as t where ${SAME_FLOW})
      order by node_id, flow_key returning conversation_id)
    select string_agg(distinct conversation_id::text, ',') as ids from placed`);
  const ids = placed[0]?.ids?.split(',') ?? [];
  await storeMovedConversations(tx, ids);
}

/** Places the next conversations of a day after one. @returns the last of them; null: nothing is left */
async function placeNext(tx: Tx, after: string | null): Promise<string | null> {
  const isAfter = after === null ? sql`true` : sql`m.conversation_id > ${after}::uuid`;
  const [bound] = await tx.execute<{ id: string }>(sql`
    select conversation_id as id from (
      select distinct conversation_id from moving_flows as m where ${isAfter} order by 1 limit ${CHUNK_CONVERSATIONS}) as d
    order by 1 desc limit 1`);
  if (!bound) return null;
  await placeFlows(tx, sql`${isAfter} and m.conversation_id <= ${bound.id}::uuid`);
  return bound.id;
}

const TARGETS = [
  {
    from: 'moving_minutes',
    to: 'flow_rollup_minutes',
    columns: `node_id, cluster_id, ${list(ROLLUP_COLUMN_TYPES)}`,
    key: 'node_id, bucket_at, rollup_key',
  },
  {
    from: 'moving_hours',
    to: 'flow_rollup_hours',
    columns: `node_id, cluster_id, ${list(ROLLUP_COLUMN_TYPES)}`,
    key: 'node_id, bucket_at, rollup_key',
  },
  {
    from: 'moving_parts',
    to: 'flow_unresolved_minutes',
    columns: `node_id, ${list(PART_COLUMNS)}`,
    key: 'node_id, bucket_at, rollup_key, flow_key',
  },
] as const;

type TotalPosition = { table: number; page: number };

/** Adds the next pages of totals to those that are read. @returns where to go on; null: nothing is left */
async function addNext(tx: Tx, { table, page }: TotalPosition): Promise<TotalPosition | null> {
  const target = TARGETS[table];
  if (!target) return null;
  const { from, to, columns, key } = target;
  const [size] = await tx.execute<{ pages: number }>(
    sql`select (pg_relation_size(${from}::regclass) / current_setting('block_size')::int)::int as pages`,
  );
  if (page >= (size?.pages ?? 0)) return addNext(tx, { table: table + 1, page: 0 });
  const next = page + CHUNK_PAGES;
  await tx.execute(sql`
    insert into ${sql.raw(to)} as t (${sql.raw(columns)}) select ${sql.raw(columns)} from ${sql.raw(from)}
    where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${next},0)`}::tid order by ${sql.raw(key)}
    on conflict (${sql.raw(key)}) do update set ${ADDED_TOTALS}`);
  return { table, page: next };
}

/** One step: what comes after a position, as its text. @returns the next position; null: nothing is left */
const STEPS: Record<MoveKind, (tx: Tx, position: string | null) => Promise<string | null>> = {
  flows: placeNext,
  totals: async (tx, position) => {
    const next = await addNext(tx, position === null ? { table: 0, page: 0 } : (JSON.parse(position) as TotalPosition));
    return next && JSON.stringify(next);
  },
};

/** Gives a day that is complete to the tables that are read, a part at a time, each with its position in one transaction. */
export async function attachPostgresStaged(db: Db, move: Move, day: MoveDay): Promise<MoveDay> {
  for (let at = day; ; ) {
    const next = await db.transaction(async (tx) => {
      const position = await STEPS[day.kind](tx, at.position);
      return position === null ? null : updateDay(tx, move, at, { position });
    });
    if (next === null) return at;
    at = next;
  }
}
