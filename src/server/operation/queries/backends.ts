import { sql } from 'drizzle-orm';
import { db } from '../../db/client';

/** Processes of the database that serve the connections of an application. */
export async function listBackendPids(application: string): Promise<number[]> {
  const rows = await db.execute<{ pid: number }>(
    sql`select pid from pg_stat_activity where application_name = ${application} and datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}
