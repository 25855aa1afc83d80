import { sql } from 'drizzle-orm';
import { db } from '../../db/client';

/** Time stamp (ms) of the youngest migration the database has; 0 when it has none. */
export async function latestMigration(): Promise<number> {
  const [table] = await db.execute<{ present: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as present`,
  );
  if (!table?.present) return 0;
  const [row] = await db.execute<{ latest: string | null }>(
    sql`select max(created_at)::text as latest from drizzle.__drizzle_migrations`,
  );
  return Number(row?.latest ?? 0);
}
