import { AppError } from '../../../lib/errors';
import type { Connection } from './connection';
import { MIGRATIONS } from './migrations';
import { raw } from './statement';

/** The first version whose tables merge and count repeated batches as this program expects it. */
const OLDEST_SERVER = [25, 3] as const;

/** What tables of flows need to be created. */
export const TABLE_SETTINGS = { allow_suspicious_low_cardinality_types: 1 } as const;

const RECORD = `create table if not exists fabric_migrations (version UInt32, name String, applied_at DateTime('UTC') default now())
  engine = MergeTree order by version`;

/** Waiting does not help. */
const VERSION = { extra: { reason: 'version' } };

function assertServer(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1])) return;
  throw new AppError(
    'unavailable',
    `ClickHouse ${version} is too old: Fabric needs ${OLDEST_SERVER.join('.')} or later. Update ClickHouse.`,
    VERSION,
  );
}

/**
 * Brings the tables of ClickHouse up to date. A step that was interrupted is repeated from its start: what it has created stays.
 * The caller holds the lock of migrations.
 * @throws AppError `unavailable` when the server is too old, or its tables were made by a newer version of Fabric
 */
export async function migrateClickhouse(connection: Connection): Promise<number> {
  const [server] = await connection.read<{ version: string }>(raw('select version() as version'));
  assertServer(server?.version ?? '0');
  await connection.run(RECORD);
  const [applied] = await connection.read<{ version: number }>(
    raw('select max(version) as version from fabric_migrations'),
  );
  const from = applied?.version ?? 0;
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  if (from > newest) {
    throw new AppError(
      'unavailable',
      `The tables in ClickHouse have version ${from}, and this version of Fabric knows ${newest}. Install the newer version of Fabric.`,
      VERSION,
    );
  }
  const due = MIGRATIONS.filter(({ version }) => version > from);
  for (const { version, name, statements } of due) {
    for (const statement of statements) {
      await connection.run(
        statement
          .trim()
          .replace(/^create (table|materialized view) /, 'create $1 if not exists ')
          .replace(' add index ', ' add index if not exists '),
        TABLE_SETTINGS,
      );
    }
    await connection.run(`insert into fabric_migrations (version, name) values (${version}, '${name}')`);
  }
  return due.length;
}
