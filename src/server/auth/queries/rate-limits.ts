import { eq, inArray, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { rateLimits } from '../../db/schema/sign-in';

/**
 * Counts one more event in the key's window, which restarts when it is older than `windowSeconds`.
 * @returns the count
 */
export async function countInWindow(tx: Tx, key: string, windowSeconds: number, now: string): Promise<number> {
  const [row] = await tx
    .insert(rateLimits)
    .values({ key, window_start: now, hits: 1 })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        hits: sql`case when ${isWindowExpired(windowSeconds, now)} then 1 else ${rateLimits.hits} + 1 end`,
        window_start: sql`case when ${isWindowExpired(windowSeconds, now)} then ${now}::timestamptz else ${rateLimits.window_start} end`,
      },
    })
    .returning({ hits: rateLimits.hits });
  return row?.hits ?? 1;
}

/** A time further ahead than the window is long was stored by a clock that was put back since. */
const isWindowExpired = (seconds: number, now: string) =>
  sql`(${rateLimits.window_start} <= ${now}::timestamptz - make_interval(secs => ${seconds})
    or ${rateLimits.window_start} > ${now}::timestamptz + make_interval(secs => ${seconds}))`;

/**
 * Takes one event from a budget that gains one every `emissionMs` and holds `burst`. `window_start` is when the budget will be
 * full again; a time of more than two bursts ahead was stored by a clock that was put back since, and the budget is full. One
 * statement. @returns 0 when it was taken, else milliseconds until it could be
 */
export async function takeFromBudget(
  executor: Executor,
  key: string,
  { emissionMs, burst }: { emissionMs: number; burst: number },
  now: Date,
): Promise<number> {
  const at = now.toISOString();
  const burstMs = emissionMs * burst;
  const next = sql`case when t.window_start > ${at}::timestamptz + ${2 * burstMs}::float8 * interval '1 ms' then ${at}::timestamptz
    else greatest(t.window_start, ${at}::timestamptz) end + ${emissionMs}::float8 * interval '1 ms'`;
  const rows = await executor.execute<{ taken: boolean; full_ms: number | null }>(sql`
    with taken as (
      insert into ${rateLimits} as t (key, window_start, hits)
      values (${key}, ${at}::timestamptz + ${emissionMs}::float8 * interval '1 ms', 1)
      on conflict (key) do update set window_start = ${next}
      where ${next} <= ${at}::timestamptz + ${burstMs}::float8 * interval '1 ms'
      returning 1)
    select exists (select from taken) as taken,
      (select date_part('epoch', window_start) * 1000 from ${rateLimits} where key = ${key})::float8 as full_ms`);
  const row = rows[0];
  if (!row || row.taken) return 0;
  return Math.max(1, (row.full_ms ?? 0) + emissionMs - burstMs - now.getTime());
}

/** Takes more from a budget than it may hold: what comes next waits. */
export async function chargeBudget(executor: Executor, key: string, costMs: number, now: Date): Promise<void> {
  await executor
    .update(rateLimits)
    .set({
      window_start: sql`greatest(${rateLimits.window_start}, ${now.toISOString()}::timestamptz) + ${costMs}::float8 * interval '1 ms'`,
    })
    .where(eq(rateLimits.key, key));
}

/** Counts one more failure and remembers when; failures longer ago than `forgetSeconds` do not count. @returns the count */
export async function countFailure(tx: Tx, key: string, forgetSeconds: number, now: string): Promise<number> {
  const [row] = await tx
    .insert(rateLimits)
    .values({ key, window_start: now, hits: 1 })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        hits: sql`case when ${isWindowExpired(forgetSeconds, now)} then 1 else ${rateLimits.hits} + 1 end`,
        window_start: sql`case when ${isWindowExpired(forgetSeconds, now)} then ${now}::timestamptz
          else greatest(${rateLimits.window_start}, ${now}::timestamptz) end`,
      },
    })
    .returning({ hits: rateLimits.hits });
  return row?.hits ?? 1;
}

/** Counters by key; `window_start` is the time of the last failure for those that `countFailure` keeps. */
export async function readCounters(
  executor: Executor,
  keys: readonly string[],
): Promise<Map<string, { hits: number; window_start: string }>> {
  const rows = await executor
    .select()
    .from(rateLimits)
    .where(inArray(rateLimits.key, [...keys]));
  return new Map(rows.map((row) => [row.key, { hits: row.hits, window_start: row.window_start }]));
}

export async function deleteCounters(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx.delete(rateLimits).where(inArray(rateLimits.key, [...keys]));
}

/** Deletes every counter whose key ends so. */
export async function deleteCountersEnding(tx: Tx, suffix: string): Promise<void> {
  await tx.delete(rateLimits).where(sql`right(${rateLimits.key}, ${suffix.length}) = ${suffix}`);
}
