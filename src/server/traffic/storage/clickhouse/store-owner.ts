import type postgres from 'postgres';
import { AppError } from '../../../lib/errors';
import { findMove } from '../move/move-record';
import type { Connection } from './connection';
import { ch, NONE, raw, texts } from './statement';
import { findMarkedStore, markStore } from './storage-mark';

/*
 * Retention deletes what nodes have left that do not exist: with two installations on one ClickHouse database each would delete the flows of
 * the other. So the database has the id of its installation, in one row. It goes with a backup of either database.
 */

/** Waiting does not help. */
const OWNER = { extra: { reason: 'owner' } };

const CREATE = `create table if not exists fabric_store (id UUID default generateUUIDv4(), installation String,
  written_at DateTime64(3, 'UTC') default now64(3, 'UTC')) engine = MergeTree order by written_at`;

/** Which ClickHouse it is, and whose. */
type StoreOwner = { id: string; installation: string };

const describeForeign = (whose: string) =>
  `The database of CLICKHOUSE_URL holds flows of another installation (${whose}), which would be deleted. Name a database that only this installation uses. When the other one is gone, or its flows are not needed, delete the tables first (DROP DATABASE, CREATE DATABASE).`;

const OTHER_MOVE =
  'Flows are being moved, which began with another ClickHouse than CLICKHOUSE_URL names. Set it to the one of before. If that one is lost, restore its backup; to end the move without what has not moved, run in PostgreSQL: DELETE FROM flow_moves WHERE finished_at IS NULL.';

const OTHER_STORE =
  'CLICKHOUSE_URL names another ClickHouse than the one with the flows of this installation, or its database was emptied: these flows would not be shown. Correct CLICKHOUSE_URL, or restore the backup of ClickHouse. If they are lost or not needed, run: fabric flow-store switch --to clickhouse';

async function readInstallation(client: postgres.Sql): Promise<string> {
  const [row] = await client<{ id: string }[]>`select value ->> 'id' as id from system_settings where key = 'instance'`;
  if (!row) throw new Error('expected the id of the installation');
  return row.id;
}

/** Which of these tables there are. */
async function listTables(connection: Connection, names: readonly string[]): Promise<string[]> {
  const found = await connection.read<{ name: string }>(
    ch`select name from system.tables where database = currentDatabase() and has(${texts(names)}, name)`,
  );
  return found.map(({ name }) => name);
}

/** Two that wrote at the same time read the same row. */
async function readOwner(connection: Connection): Promise<StoreOwner | null> {
  if ((await listTables(connection, ['fabric_store'])).length === 0) return null;
  const [owner] = await connection.read<StoreOwner>(
    raw('select toString(id) as id, installation from fabric_store order by written_at, id limit 1'),
  );
  return owner ?? null;
}

/** Flows that were stored before there was an owner are of the installation that has one of their clusters, or had it. */
async function assertKnownClusters(connection: Connection, client: postgres.Sql): Promise<void> {
  const tables = await listTables(connection, ['flows', 'rollup_hours']);
  const found = await Promise.all(
    tables.map((table) =>
      connection.read<{ id: string }>(raw(`select distinct toString(cluster_id) as id from ${table}`)),
    ),
  );
  const ids = found.flatMap((rows) => rows.map(({ id }) => id)).filter((id) => id !== NONE);
  if (ids.length === 0) return;
  const known = await client`
    select from clusters where id::text in ${client(ids)}
    union all select from audit_records where object_kind = 'cluster' and object_id in ${client(ids)} limit 1`;
  if (known.length === 0) throw new AppError('unavailable', describeForeign('with other clusters'), OWNER);
}

/** Another ClickHouse than before lacks the flows of before: all, or the part that has not moved. */
async function assertSameStore(client: postgres.Sql, storeId: string | undefined, mayDiffer: boolean): Promise<void> {
  const move = await findMove(client);
  if (move?.is_switched && move.store_id !== null && move.store_id !== storeId)
    throw new AppError('unavailable', OTHER_MOVE, OWNER);
  if (mayDiffer) return;
  const marked = await findMarkedStore(client);
  if (marked !== null && marked !== storeId) throw new AppError('unavailable', OTHER_STORE, OWNER);
}

/**
 * Which ClickHouse it is; null: no installation has used it.
 * @param mayDiffer it may be another one than before
 * @throws AppError `unavailable` when it has flows of another installation, or is not the one of before or of the move that is under way
 */
export async function readOwnStore(
  connection: Connection,
  client: postgres.Sql,
  mayDiffer = false,
): Promise<string | null> {
  const owner = await readOwner(connection);
  await assertSameStore(client, owner?.id, mayDiffer);
  if (owner === null) {
    await assertKnownClusters(connection, client);
    return null;
  }
  if (owner.installation !== (await readInstallation(client))) {
    throw new AppError('unavailable', describeForeign(owner.installation), OWNER);
  }
  return owner.id;
}

/**
 * Makes a ClickHouse the one of this installation, before its tables are made or changed.
 * @returns which one it is
 * @throws as `readOwnStore`
 */
export async function claimStore(connection: Connection, client: postgres.Sql, mayDiffer: boolean): Promise<string> {
  const own = await readOwnStore(connection, client, mayDiffer);
  if (own !== null) {
    await markStore(client, own);
    return own;
  }
  await connection.run(CREATE);
  const row = JSON.stringify({ installation: await readInstallation(client) });
  await connection.insert('fabric_store (installation) FORMAT JSONEachRow', { name: row, blocks: [Buffer.from(row)] });
  const written = await readOwnStore(connection, client, mayDiffer);
  if (written === null) throw new Error('expected the row that was written');
  await markStore(client, written);
  return written;
}
