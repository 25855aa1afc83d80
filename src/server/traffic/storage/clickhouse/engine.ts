import type postgres from 'postgres';
import { sqlClient } from '../../../db/client';
import { withMigrationLock } from '../../../db/migration-lock';
import { env } from '../../../lib/env';
import { processState } from '../../../lib/process-state';
import type { FlowStore } from '../flow-store';
import { whileFlowsMove } from '../move/during-move';
import { findMove } from '../move/move-record';
import { postgresFlowStore } from '../postgres/postgres-flow-store';
import { makeClickhouseFlowStore } from './clickhouse-flow-store';
import { type Connection, connectTo } from './connection';
import { guardConnection, toStorageError } from './guard-connection';
import { migrateClickhouse } from './migrate';
import { MIGRATIONS } from './migrations';
import { raw } from './statement';
import { hasPostgresFlows } from './storage-mark';
import { claimStore, readOwnStore } from './store-owner';

type Engine = { connection: Connection; store: FlowStore };
const kept = processState<{ engines: Map<string, Engine> }>(() => ({ engines: new Map() }));

/** Flows that PostgreSQL still holds are read no more, and expire like others. What moves stays until it has moved. */
const retainBoth =
  (store: FlowStore): FlowStore['upkeep']['retain'] =>
  async (retention, signal) => {
    if (!(await findMove(sqlClient())) && (await hasPostgresFlows(sqlClient())))
      await postgresFlowStore.upkeep.retain(retention, signal);
    return store.upkeep.retain(retention, signal);
  };

type Prepared = { steps: number; store_id: string };

async function prepareTables(connection: Connection, client: postgres.Sql, mayDiffer = false): Promise<Prepared> {
  const store_id = await claimStore(connection, client, mayDiffer);
  return { steps: await migrateClickhouse(connection), store_id };
}

function makeEngine(url: string): Engine {
  const plain = connectTo(url);
  const connection = guardConnection(plain, async () => {
    await withMigrationLock(env().DATABASE_URL ?? '', (client) => prepareTables(plain, client));
  });
  const store = makeClickhouseFlowStore(connection);
  const whole = { ...store, upkeep: { ...store.upkeep, retain: retainBoth(store) } };
  return { connection, store: whileFlowsMove(whole, 'clickhouse') };
}

function getEngine(url: string): Engine {
  let engine = kept.engines.get(url);
  if (!engine) {
    engine = makeEngine(url);
    kept.engines.set(url, engine);
  }
  return engine;
}

/** The store of flows in the ClickHouse of an address. One for all of this process: its inserts are shared. */
export const getClickhouseFlowStore = (url: string): FlowStore => getEngine(url).store;

/**
 * Makes it the ClickHouse of this installation, and brings its tables up to date. The caller holds the lock of migrations.
 * @param mayDiffer it may be another one than before
 * @returns how many steps were due, and which ClickHouse it is
 * @throws AppError `unavailable` when it does not answer, cannot work now, does not fit, is not the one of before, or is that of another
 * installation or move
 */
export async function prepareClickhouse(url: string, client: postgres.Sql, mayDiffer = false): Promise<Prepared> {
  try {
    return await prepareTables(connectTo(url), client, mayDiffer);
  } catch (error) {
    throw toStorageError(error, 'run');
  }
}

export type ClickhouseFacts = { version: string; size_bytes: number; schema: number; newest_schema: number };

/**
 * What a ClickHouse says about itself and its tables of flows.
 * @throws AppError `unavailable` when it does not answer, is not the one of before, or is that of another installation
 */
export async function examineClickhouse(url: string): Promise<ClickhouseFacts> {
  const connection = guardConnection(connectTo(url), async () => {});
  await readOwnStore(connection, sqlClient());
  const [server] = await connection.read<{ version: string; bytes: number; tables: number }>(
    raw(`select version() as version, (select sum(total_bytes) from system.tables where database = currentDatabase()) as bytes,
      (select count() from system.tables where database = currentDatabase() and name = 'fabric_migrations') as tables`),
  );
  const [applied] = server?.tables
    ? await connection.read<{ version: number }>(raw('select max(version) as version from fabric_migrations'))
    : [];
  return {
    version: server?.version ?? '',
    size_bytes: Number(server?.bytes ?? 0),
    schema: applied?.version ?? 0,
    newest_schema: MIGRATIONS.at(-1)?.version ?? 0,
  };
}
