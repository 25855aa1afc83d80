import postgres from 'postgres';
import { withMigrationLock } from '../../../db/migration-lock';
import { separateStatements } from '../../../db/separate-statements';
import { env } from '../../../lib/env';
import { AppError } from '../../../lib/errors';
import { connectTo } from '../clickhouse/connection';
import { prepareClickhouse } from '../clickhouse/engine';
import type { StorageEngine } from '../clickhouse/storage-mark';
import type { MoveOptions } from './move-days';
import { moveToClickhouse } from './move-to-clickhouse';
import { moveToPostgres } from './move-to-postgres';

/** Held while a move runs; the number is used by Fabric alone (the bytes of "FABM"). */
const MOVE_LOCK = 0x4641424d;

/** A day is read by one connection while how far it is goes over another one. No statement has a time limit. */
const connect = (url: string, max: number) =>
  separateStatements(
    postgres(url, {
      max,
      connect_timeout: 10,
      onnotice: () => {},
      connection: { application_name: 'fabric-move', TimeZone: 'UTC' },
    }),
  );

const MOVES = { clickhouse: moveToClickhouse, postgres: moveToPostgres } as const;
const MISSING: Record<StorageEngine, string> = {
  clickhouse: 'CLICKHOUSE_URL is missing. Set it to the address of ClickHouse.',
  postgres:
    'CLICKHOUSE_URL is missing. Set it for this command to the address of the ClickHouse that flows are moved from.',
};

/**
 * Moves what is stored of flows to the other store, while Fabric runs. Interrupted anywhere, it continues when it is called again.
 * @throws AppError `refused` when a move runs, the target is not empty or CLICKHOUSE_URL is missing; `unavailable` when it names another ClickHouse than before; `conflict` when the stores differ
 */
export async function moveFlowStorage(databaseUrl: string, to: StorageEngine, options: MoveOptions): Promise<void> {
  const { CLICKHOUSE_URL: url } = env();
  if (url === undefined) throw new AppError('refused', MISSING[to]);
  const holder = connect(databaseUrl, 1);
  const client = connect(databaseUrl, 3);
  try {
    const [lock] = await holder<{ held: boolean }[]>`select pg_try_advisory_lock(${MOVE_LOCK}) as held`;
    if (!lock?.held) throw new AppError('refused', 'A move is running already. Wait for it, or stop it first.');
    const { store_id } = await withMigrationLock(databaseUrl, (held) => prepareClickhouse(url, held));
    await MOVES[to]({ client, connection: connectTo(url), store_id }, options);
  } finally {
    await Promise.all([holder.end({ timeout: 5 }), client.end({ timeout: 5 })]);
  }
}
