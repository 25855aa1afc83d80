import postgres from 'postgres';
import { DAY_MS, SECOND_MS } from '@/domain/durations';
import { sqlClient } from '../../db/client';
import { withMigrationLock } from '../../db/migration-lock';
import { cache } from '../../lib/cache';
import { clock } from '../../lib/clock';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { type ClickhouseFacts, examineClickhouse, prepareClickhouse } from './clickhouse/engine';
import {
  countOutbox,
  emptyPostgresFlows,
  hasPostgresFlows,
  type OutboxBacklog,
  readStorageMark,
  retryRefused,
  type StorageEngine,
  writeStorageMark,
} from './clickhouse/storage-mark';
import { findMove, type Move, type MoveProgress, readMoveProgress } from './move/move-record';
import { clearPostgresStaging } from './move/postgres-staging';

const IN_CLICKHOUSE =
  'The flows of this installation are in ClickHouse, but CLICKHOUSE_URL is not set. Set it for every process, or run: fabric flow-store switch --to postgres';
const IN_POSTGRES =
  'CLICKHOUSE_URL is set, but the flows of this installation are in PostgreSQL: they would not be shown. Leave CLICKHOUSE_URL empty, or run: fabric flow-store move --to clickhouse';
const TO_POSTGRES =
  'CLICKHOUSE_URL is set, but the flows of this installation are being moved to PostgreSQL. Leave CLICKHOUSE_URL empty: only the command fabric flow-store move --to postgres needs it.';
const describeMoving = (to: StorageEngine) =>
  `Flows are being moved. Finish that first: fabric flow-store move --to ${to}. Both stores hold a part of them.`;

/** Reasons why a ClickHouse that answers does not fit: waiting does not help. */
const MISFITS: readonly unknown[] = ['version', 'owner'];
const isUnavailable = (error: unknown) => error instanceof AppError && !MISFITS.includes(error.extra?.reason);

/**
 * Creates the tables in ClickHouse. One that does not answer, or answers that it cannot work now or refuses the connection, is prepared when
 * it works: the rest of Fabric works without it.
 * @returns which ClickHouse it is; null: it does not work now
 */
async function prepareTables(url: string, client: postgres.Sql): Promise<string | null> {
  try {
    const { steps, store_id } = await prepareClickhouse(url, client);
    if (steps > 0) logger.info({ steps }, 'ClickHouse migrated');
    return store_id;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    logger.error({ err: error }, 'flow storage does not work now; its tables are prepared when it does');
    return null;
  }
}

/**
 * Prepares the store of flows that the environment names, and refuses to start with another one than has them: no flow
 * disappears from the pages because a variable is missing. Safe to run from any number of processes concurrently.
 * @throws AppError `unavailable` when the versions do not fit or ClickHouse is another one than before or that of another installation,
 * `refused` when the flows are elsewhere
 */
export function prepareFlowStorage(databaseUrl: string): Promise<void> {
  const { CLICKHOUSE_URL: url } = env();
  return withMigrationLock(databaseUrl, async (client) => {
    const mark = await readStorageMark(client);
    if (url === undefined) {
      if (mark === 'clickhouse') throw new AppError('refused', IN_CLICKHOUSE);
      return;
    }
    const move = await findMove(client);
    if (move?.is_switched && move.engine === 'postgres') throw new AppError('refused', TO_POSTGRES);
    if (mark !== 'clickhouse' && (await hasPostgresFlows(client))) throw new AppError('refused', IN_POSTGRES);
    const storeId = await prepareTables(url, client);
    if (mark !== 'clickhouse') await writeStorageMark(client, 'clickhouse', storeId);
  });
}

/** Drops a move that has not been switched to: conversations that it has copied are stored where they were. */
async function dropUnswitchedMove(client: postgres.Sql, { id, engine }: Move): Promise<void> {
  if (engine === 'postgres') {
    // The record goes last: until then the copies are known to be some.
    await emptyPostgresFlows(client);
    await clearPostgresStaging(client);
  }
  await client`delete from flow_moves where id = ${id} and switched_at is null`;
}

/**
 * Has flows read from and stored in another store from the next start on. What the one before holds stays there, and is not shown.
 * @returns whether PostgreSQL holds flows, and what has not arrived in ClickHouse
 */
export async function switchFlowStorage(
  databaseUrl: string,
  to: StorageEngine,
): Promise<{ left_in_postgres: boolean; outbox: OutboxBacklog }> {
  const { CLICKHOUSE_URL: url } = env();
  return withMigrationLock(databaseUrl, async (client) => {
    const move = await findMove(client);
    if (move?.is_switched) throw new AppError('refused', describeMoving(move.engine));
    let storeId: string | null = null;
    if (to === 'clickhouse') {
      if (url === undefined)
        throw new AppError('refused', 'CLICKHOUSE_URL is missing. Set it to the address of ClickHouse.');
      storeId = (await prepareClickhouse(url, client, true)).store_id;
    }
    if (move) await dropUnswitchedMove(client, move);
    await writeStorageMark(client, to, storeId);
    return { left_in_postgres: await hasPostgresFlows(client), outbox: await countOutbox(client) };
  });
}

/** Sends what ClickHouse refused again: for example after an update of either. @returns how many reports */
export const retryRefusedFlows = (): Promise<number> => retryRefused(sqlClient());

export type FlowStorageFacts = {
  /** Where the environment says that flows are, and where they are. */
  engine: StorageEngine;
  stored_in: StorageEngine;
  outbox: OutboxBacklog;
  holds_postgres_flows: boolean;
  clickhouse: ClickhouseFacts | { error: string } | null;
  /** The move of stored flows that is not finished. */
  move: MoveProgress | null;
};

/** The store of flows as it is now. A ClickHouse that does not answer is part of the answer. */
export async function examineFlowStorage(): Promise<FlowStorageFacts> {
  const { CLICKHOUSE_URL: url } = env();
  const client = sqlClient();
  const [mark, outbox, holds_postgres_flows, move] = await Promise.all([
    readStorageMark(client),
    countOutbox(client),
    hasPostgresFlows(client),
    readMoveProgress(client),
  ]);
  const clickhouse =
    url === undefined
      ? null
      : await examineClickhouse(url).catch((error: unknown) => ({
          error: error instanceof AppError ? error.message : String(error),
        }));
  return {
    engine: url === undefined ? 'postgres' : 'clickhouse',
    stored_in: mark ?? 'postgres',
    outbox,
    holds_postgres_flows,
    clickhouse,
    move,
  };
}

const MOVES_READ_EVERY_MS = 10 * SECOND_MS;
const moves = cache<Promise<string | null>, number>({
  name: 'flow_move',
  maxEntries: 1,
  isFresh: (kept, asked) => asked >= kept && asked - kept < MOVES_READ_EVERY_MS,
});

/** Until when flows can be missing because they have not been moved from another store; null: no move is under way, or all flows have moved. */
export function findMissingUntil(): Promise<string | null> {
  const now = clock.now().getTime();
  return moves.load('', now, async () => {
    const move = await readMoveProgress(sqlClient());
    if (!move?.is_switched || move.flows_missing_until === null) return null;
    return new Date(Math.min(now, Date.parse(move.flows_missing_until) + DAY_MS)).toISOString();
  });
}

/** How many rows of a move to another store are left; null: no move is under way. */
export async function countUnmoved(): Promise<number | null> {
  const move = await readMoveProgress(sqlClient());
  return move?.is_switched ? move.rows - move.rows_moved : null;
}

/** What a backup of a database does not hold. One from before flows could be elsewhere holds everything. */
export async function findOutsideFlows(databaseUrl: string): Promise<{ isClickhouse: boolean; isMoving: boolean }> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const [known] = await client<{ marks: boolean; moves: boolean }[]>`
      select to_regclass('flow_storage') is not null as marks, to_regclass('flow_moves') is not null as moves`;
    return {
      isClickhouse: Boolean(known?.marks) && (await readStorageMark(client)) === 'clickhouse',
      isMoving: Boolean(known?.moves) && ((await readMoveProgress(client))?.is_switched ?? false),
    };
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** What has not arrived in ClickHouse; null: flows are stored in PostgreSQL. */
export const countUndelivered = async (): Promise<OutboxBacklog | null> =>
  env().CLICKHOUSE_URL === undefined ? null : countOutbox(sqlClient());
