import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { Db, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { AppError } from '../../../lib/errors';
import type { Connection } from '../clickhouse/connection';
import { STORED_TABLES } from '../clickhouse/migrations';
import { hasPostgresFlows, readStorageMark } from '../clickhouse/storage-mark';
import {
  countClickhouseDays,
  findMinutesFrom,
  planClickhouseDays,
  readConversationFlows,
  readFlowTotals,
  readRollupTotals,
  readRows,
  type Source,
  type StoredFlow,
  type StoredPart,
  type StoredTotal,
  toSpan,
} from './clickhouse-history';
import { type MoveOptions, type MoveSteps, runMove, type Stores } from './move-days';
import { findMove, type Move, type MoveDay, updateDay } from './move-record';
import { toMovedFlow, toMovedPart, toMovedTotal } from './moved-rows';
import {
  attachPostgresStaged,
  clearPostgresStaging,
  emptyPostgresStaging,
  readPostgresStagedTotals,
  stageFlows,
  stageParts,
  stageTotals,
} from './postgres-staging';
import { dropStaging, hasClickhouseFlows } from './staging';
import { switchToPostgres } from './switch-to-postgres';

/** Rows of one transaction. */
const PAGE_ROWS = 10_000;

const IS_THERE =
  'Flows are stored in PostgreSQL already. What ClickHouse still holds from before is not shown. To delete it, drop its database.';
const IS_EMPTY =
  'The ClickHouse of CLICKHOUSE_URL holds no flows that could move. Check its address and database. To begin with an empty store, run: fabric flow-store switch --to postgres';
const NOT_EMPTY =
  'PostgreSQL holds flows already, for example those that an earlier move left there (--keep): they would count twice. To replace them, run TRUNCATE traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes in its database, and run the command again.';

/** Where a day is: its sources one after the other, each by its keys. Written with each page, so that all pages of a day agree. */
type Position = { source: Source; after: (string | number | boolean)[] | null; minutes_from: number };

type Copied = { source: Source; after: Position['after']; rows: number; stage: (tx: Tx) => Promise<void> };

async function* readFlowPages(
  { connection }: Stores,
  day: MoveDay,
  from: Position,
  pageRows: number,
): AsyncIterable<Copied> {
  for await (const rows of readRows<StoredFlow>(connection, 'flows', toSpan(day), from.after, pageRows)) {
    const moved = rows.map((flow) => toMovedFlow(flow, undefined));
    const after = rows.at(-1)?.row_key ?? null;
    yield { source: 'flows', after, rows: rows.length, stage: (tx) => stageFlows(tx, moved) };
  }
}

/** Parts of minutes are of flows: these have the keys with which they have moved, or will. */
async function stageFlowParts({ connection }: Stores, tx: Tx, parts: readonly StoredPart[]): Promise<void> {
  const ids = [...new Set(parts.map(({ conversation_id }) => conversation_id))];
  const toKey = (of: Pick<StoredFlow, 'conversation_id' | 'forward' | 'decision' | 'node_id'>) =>
    `${of.conversation_id} ${of.forward} ${of.decision} ${of.node_id}`;
  const flows = new Map((await readConversationFlows(connection, ids)).map((flow) => [toKey(flow), flow]));
  const open = await tx.execute<{ id: string; ordinal: number; is_final: boolean }>(
    sql`select id, ordinal, is_final from traffic_conversations where id = any (${pgArray('uuid', ids)})`,
  );
  const states = new Map(open.map((one) => [one.id, one]));
  const moved = parts.flatMap((part) => {
    const flow = flows.get(toKey(part));
    return flow ? [toMovedPart(part, flow, states.get(part.conversation_id))] : [];
  });
  await stageParts(tx, moved);
}

async function* readTotalPages(stores: Stores, day: MoveDay, from: Position, pageRows: number): AsyncIterable<Copied> {
  const span = toSpan(day);
  const { minutes_from } = from;
  const spans = {
    minutes: { from: minutes_from, until: span.until },
    hours: { from: span.from, until: minutes_from },
    parts: { from: minutes_from, until: span.until },
  };
  const sources = Object.keys(spans) as (keyof typeof spans)[];
  for (const source of sources.slice(sources.indexOf(from.source as keyof typeof spans))) {
    const start = source === from.source ? from.after : null;
    for await (const rows of readRows<StoredTotal>(stores.connection, source, spans[source], start, pageRows)) {
      const after = rows.at(-1)?.row_key ?? null;
      if (source === 'parts') {
        yield { source, after, rows: 0, stage: (tx) => stageFlowParts(stores, tx, rows as StoredPart[]) };
      } else {
        const moved = rows.map(toMovedTotal);
        yield { source, after, rows: rows.length, stage: (tx) => stageTotals(tx, source, moved) };
      }
    }
  }
}

async function readSwitchedAt(db: Db, { id }: Move): Promise<number> {
  const [row] = await db.execute<{ ms: number }>(
    sql`select (extract(epoch from switched_at) * 1000)::float8 as ms from flow_moves where id = ${id}`,
  );
  if (row?.ms == null) throw new Error('expected a move that has been switched to');
  return row.ms;
}

/** Empties all that ClickHouse has of flows; its tables stay. Others in the same database are not Fabric's. */
async function emptyClickhouse(connection: Connection): Promise<void> {
  await dropStaging(connection);
  for (const table of STORED_TABLES) await connection.run(`truncate table if exists ${table}`);
}

function listSteps(stores: Stores): MoveSteps {
  const { client, connection } = stores;
  const db = drizzle(client);
  const findStart = async (move: Move, day: MoveDay): Promise<Position> => {
    if (day.position !== null) return JSON.parse(day.position) as Position;
    if (day.kind === 'flows') return { source: 'flows', after: null, minutes_from: 0 };
    const minutes_from = await findMinutesFrom(connection, toSpan(day), await readSwitchedAt(db, move));
    return { source: 'minutes', after: null, minutes_from };
  };
  return {
    engine: 'postgres',
    assertBothFit: async () => {
      if ((await readStorageMark(client)) !== 'clickhouse') throw new AppError('refused', IS_THERE);
      // What this move itself has copied so far is continued.
      const isOwn = (await findMove(client))?.engine === 'postgres';
      if (!(await hasClickhouseFlows(connection))) throw new AppError('refused', IS_EMPTY);
      if (!isOwn && (await hasPostgresFlows(client))) throw new AppError('refused', NOT_EMPTY);
    },
    switchOver: (move) => switchToPostgres(stores, move),
    createStaging: async () => {},
    planDays: async (move) => planClickhouseDays(stores, move, await readSwitchedAt(db, move)),
    emptyStaging: (kind) => emptyPostgresStaging(client, kind),
    // Each page and its position are written in one transaction.
    copyDay: async (move, day, { page_rows = PAGE_ROWS, onPage }) => {
      let copied = day;
      const from = await findStart(move, day);
      const readPages = day.kind === 'flows' ? readFlowPages : readTotalPages;
      for await (const { source, after, rows, stage } of readPages(stores, day, from, page_rows)) {
        const position = JSON.stringify({ source, after, minutes_from: from.minutes_from } satisfies Position);
        const { pages, rows_moved } = copied;
        copied = await db.transaction(async (tx) => {
          await stage(tx);
          return updateDay(tx, move, copied, { pages: pages + 1, rows_moved: rows_moved + rows, position });
        });
        onPage?.(rows);
      }
      return copied;
    },
    updateDay: (move, day, change) => updateDay(db, move, day, change),
    countRows: async (move, day) => {
      const counted = await countClickhouseDays(connection, await readSwitchedAt(db, move), toSpan(day));
      return counted.find(({ kind }) => kind === day.kind)?.rows ?? 0;
    },
    readTotals: async (day) => ({
      from: await (day.kind === 'flows'
        ? readFlowTotals(connection, toSpan(day))
        : readRollupTotals(connection, toSpan(day), readMinutesFrom(day))),
      to: await readPostgresStagedTotals(client, day.kind),
    }),
    attachDay: (move, day) => attachPostgresStaged(db, move, day),
    emptySource: () => emptyClickhouse(connection),
    dropStaging: () => clearPostgresStaging(client),
  };
}

/** From when on a day that has been copied moved as minutes; one of which nothing was left has no page. */
const readMinutesFrom = (day: MoveDay): number =>
  day.position === null ? toSpan(day).until : (JSON.parse(day.position) as Position).minutes_from;

/** Moves what ClickHouse holds of flows to PostgreSQL. See `runMove`. */
export const moveToPostgres = (stores: Stores, options: MoveOptions): Promise<void> =>
  runMove(stores, listSteps(stores), options);
