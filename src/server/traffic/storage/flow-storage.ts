import { sqlClient } from '../../db/client';
import { withMigrationLock } from '../../db/migration-lock';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { type ClickhouseFacts, examineClickhouse, prepareClickhouse } from './clickhouse/engine';
import {
  countOutbox,
  hasPostgresFlows,
  type OutboxBacklog,
  readStorageMark,
  type StorageEngine,
  writeStorageMark,
} from './clickhouse/storage-mark';

const IN_CLICKHOUSE =
  'The flows of this installation are in ClickHouse, but CLICKHOUSE_URL is not set. Set it for every process, or run: fabric flow-store switch --to postgres';
const IN_POSTGRES =
  'CLICKHOUSE_URL is set, but the flows of this installation are in PostgreSQL: they would not be shown. Leave CLICKHOUSE_URL empty, or run: fabric flow-store switch --to clickhouse';

const isUnreachable = (error: unknown) => error instanceof AppError && error.extra?.reason !== 'version';

/** Creates the tables in ClickHouse. One that does not answer is prepared when it does: the rest of Fabric works without it. */
async function prepareTables(url: string): Promise<void> {
  try {
    const steps = await prepareClickhouse(url);
    if (steps > 0) logger.info({ steps }, 'ClickHouse migrated');
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    logger.error({ err: error }, 'flow storage is not reachable; its tables are prepared when it answers');
  }
}

/**
 * Prepares the store of flows that the environment names, and refuses to start with another one than has them: no flow
 * disappears from the pages because a variable is missing. Safe to run from any number of processes concurrently.
 * @throws AppError `unavailable` when the versions do not fit, `refused` when the flows are elsewhere
 */
export function prepareFlowStorage(databaseUrl: string): Promise<void> {
  const { CLICKHOUSE_URL: url } = env();
  return withMigrationLock(databaseUrl, async (client) => {
    const mark = await readStorageMark(client);
    if (url === undefined) {
      if (mark === 'clickhouse') throw new AppError('refused', IN_CLICKHOUSE);
      return;
    }
    if (mark !== 'clickhouse' && (await hasPostgresFlows(client))) throw new AppError('refused', IN_POSTGRES);
    await prepareTables(url);
    if (mark !== 'clickhouse') await writeStorageMark(client, 'clickhouse');
  });
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
    if (to === 'clickhouse') {
      if (url === undefined)
        throw new AppError('refused', 'CLICKHOUSE_URL is missing. Set it to the address of ClickHouse.');
      await prepareClickhouse(url);
    }
    await writeStorageMark(client, to);
    return { left_in_postgres: await hasPostgresFlows(client), outbox: await countOutbox(client) };
  });
}

export type FlowStorageFacts = {
  /** Where the environment says that flows are, and where they are. */
  engine: StorageEngine;
  stored_in: StorageEngine;
  outbox: OutboxBacklog;
  holds_postgres_flows: boolean;
  clickhouse: ClickhouseFacts | { error: string } | null;
};

/** The store of flows as it is now. A ClickHouse that does not answer is part of the answer. */
export async function examineFlowStorage(): Promise<FlowStorageFacts> {
  const { CLICKHOUSE_URL: url } = env();
  const client = sqlClient();
  const [mark, outbox, holds_postgres_flows] = await Promise.all([
    readStorageMark(client),
    countOutbox(client),
    hasPostgresFlows(client),
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
  };
}

/** What has not arrived in ClickHouse; null: flows are stored in PostgreSQL. */
export const countUndelivered = async (): Promise<OutboxBacklog | null> =>
  env().CLICKHOUSE_URL === undefined ? null : countOutbox(sqlClient());
