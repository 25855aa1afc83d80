import { sql } from 'drizzle-orm';
import { db, type Tx } from '../db/client';
import { trafficMarks, trafficVersion } from '../db/schema/traffic';

/** Says that the sums have changed. */
export async function raiseTrafficVersion(tx: Tx): Promise<void> {
  await tx.execute(sql`update ${trafficVersion} set version = version + 1`);
}

/** The state of the sums, and up to when they are complete in a range: the moment of its oldest mark, or now. One query. */
export async function readTrafficVersion(range: {
  since: string;
  until: string;
}): Promise<{ version: number; as_of: string }> {
  const rows = await db.execute<{ version: number; as_of: string }>(sql`
    select (select max(version) from ${trafficVersion})::float8 as version,
      to_char(coalesce(min(marked_at), now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as as_of
    from ${trafficMarks} where bucket_at >= ${range.since}::timestamptz and bucket_at < ${range.until}::timestamptz`);
  const [row] = rows;
  if (!row) throw new Error('an aggregate has no row');
  return row;
}
