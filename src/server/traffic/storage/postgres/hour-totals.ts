import { type SQL, sql } from 'drizzle-orm';
import { minuteCutoff } from '@/domain/flow/plan-range';
import { SUM_SECONDS } from '@/domain/flow/plan-sums';
import { db, type Executor } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { clusters } from '../../../db/schema/clusters';
import { flowCompleteHours, flowHourTotals, flowRollupHours, flowRollupMinutes } from '../../../db/schema/flows';
import { trafficMarks, trafficTotals } from '../../../db/schema/traffic';
import { clock } from '../../../lib/clock';
import type { RollupSelection } from '../flow-selection';
import { countedOnce } from './counted-once';
import { lockTrafficSums } from './hours-to-sum';
import { ROLLUP_COLUMNS } from './minutes';
import { COLUMNS, countedRollups, rollupConditions, widenToHours } from './rollup-conditions';

/*
 * A map of a day reads every minute of it, and compares what the nodes reported in each hour. Of hours that are over, what counts is
 * therefore stored: a map reads minutes only of the others, and of those with a mark, which have changed since. Taking a mark away makes
 * the hour incomplete, by a trigger.
 */

const HOUR_MS = 3_600_000;
/** Reports of the last minutes of an hour come so late. Those that come later mark it, and it is made again. */
const SETTLING_MS = 5 * 60_000;
/** Each hour without totals is looked up among the minutes by itself: in ranges of more than a week that takes longer than reading all minutes. */
const MAX_RANGE_MS = 8 * 24 * HOUR_MS;
/** Hours that are looked for at a time. */
const MAX_HOURS = 64;

const KEY = ROLLUP_COLUMNS.filter((name) => !['bucket_at', 'bytes', 'packets', 'flows'].includes(name));
const IDENTITY = sql.raw(KEY.join(', '));

/** Numbers that JavaScript can hold, whatever agents claim. */
const SUMS = sql.raw(
  ['bytes', 'packets', 'flows']
    .map((name) => `least(sum(c.${name}) filter (where c.counted), ${Number.MAX_SAFE_INTEGER})::bigint`)
    .join(', '),
);

/** An hour of a cluster. */
type ClusterHour = { cluster_id: string; hour_at: string };

const selectMarks = (cluster: SQL, hour: SQL): SQL => sql`select 1 from ${trafficMarks} as m
  where m.cluster_id = ${cluster} and m.bucket_at >= ${hour} and m.bucket_at < ${hour} + interval '1 hour'`;

/** Minutes of an hour that have moved into it, by a process whose clock is ahead: those that are left are not all. */
const selectMoved = (first: SQL, cluster: SQL, hour: SQL): SQL => sql`select 1 from ${flowRollupHours} as r
  where r.bucket_at >= ${first} and r.bucket_at = ${hour} and r.cluster_id = ${cluster}`;

/** Hours that are over, as far as there are minutes of them, without totals; the newest first, not all when there are many. */
export async function findHoursToTotal(executor: Executor): Promise<ClusterHour[]> {
  const now = clock.now().getTime();
  const [first, last] = [minuteCutoff(now), now - SETTLING_MS - HOUR_MS].map((time) => new Date(time).toISOString());
  const rows = await executor.execute<ClusterHour>(sql`
    select c.cluster_id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as hour_at
    from generate_series(${first}::timestamptz, ${last}::timestamptz, interval '1 hour') as h(at)
    cross join (select id as cluster_id from ${clusters} union select cluster_id from ${trafficTotals}
      where bucket_seconds = ${SUM_SECONDS.hour} and bucket_at >= ${first}::timestamptz) as c
    where not exists (select 1 from ${flowCompleteHours} as s where s.cluster_id = c.cluster_id and s.bucket_at = h.at)
      and not exists (${selectMarks(sql.raw('c.cluster_id'), sql.raw('h.at'))})
      and not exists (${selectMoved(sql`${first}::timestamptz`, sql.raw('c.cluster_id'), sql.raw('h.at'))})
    order by h.at desc, c.cluster_id limit ${MAX_HOURS}`);
  return [...rows];
}

/** Makes the totals of an hour from its minutes: all or nothing. */
export async function totalHour({ cluster_id, hour_at }: ClusterHour): Promise<void> {
  await db.transaction(async (tx) => {
    // No minutes move into their hours during this.
    await lockTrafficSums(tx);
    await tx.execute(sql`select set_config('work_mem', '64MB', true)`);
    const [hour, cluster] = [sql`${hour_at}::timestamptz`, sql`${cluster_id}::uuid`];
    const rows = sql`select ${COLUMNS} from ${flowRollupMinutes} as t where t.cluster_id = ${cluster}
      and t.bucket_at >= ${hour} and t.bucket_at < ${hour} + interval '1 hour'`;
    await tx.execute(sql`delete from ${flowHourTotals} where cluster_id = ${cluster} and bucket_at = ${hour}`);
    await tx.execute(sql`
      with made as (
        insert into ${flowHourTotals} (bucket_at, cluster_id, ${IDENTITY}, bytes, packets, flows, last_counted_at, last_reported_at)
        select ${hour}, ${cluster}, ${IDENTITY}, ${SUMS}, max(c.bucket_at) filter (where c.counted), max(c.bucket_at)
        from (${countedOnce(rows)}) as c group by ${IDENTITY})
      insert into ${flowCompleteHours} (bucket_at, cluster_id) select ${hour}, ${cluster}
      where not exists (${selectMoved(hour, cluster, hour)}) on conflict do nothing`);
  });
}

/** Deletes totals of hours that began before a moment. @returns how many */
export async function deleteHourTotals(before: string): Promise<number> {
  await db.execute(sql`delete from ${flowCompleteHours} where bucket_at < ${before}::timestamptz`);
  const rows = await db.execute<{ gone: number }>(sql`
    with gone as (delete from ${flowHourTotals} where bucket_at < ${before}::timestamptz returning 1)
    select count(*)::int as gone from gone`);
  return rows[0]?.gone ?? 0;
}

const OTHERS = [...KEY, 'bytes', 'packets', 'flows'].map((name) => `t.${name}`).join(', ');
const NOT_COMPLETE = sql.raw('not in (select cluster_id, bucket_at from complete_hours)');
const TRAFFIC_COLUMNS = sql.raw(`t.cluster_id, t.bucket_at, ${OTHERS}, t.counted, t.bucket_at as last_counted_at`);

/** Whether totals of hours can answer: what one node reported, and the parts of an hour before and after a workload moved, are in none. */
export const canUseTotals = ({ since, until, filter, periods }: RollupSelection): boolean =>
  Date.parse(until) - Date.parse(since) <= MAX_RANGE_MS && filter.node_id === undefined && periods.length === 0;

/** A complete hour of a cluster; `made` changes whenever its totals do. */
export type CompleteHour = ClusterHour & { made: string };

/** SQL: hours within a range with totals of everything in them. */
const completeHours = ({ since, until }: RollupSelection): SQL => sql`
  select s.cluster_id, s.bucket_at, s.xmin::text as made from ${flowCompleteHours} as s
  where s.bucket_at >= ${since}::timestamptz and s.bucket_at + interval '1 hour' <= ${until}::timestamptz
    and not exists (${selectMarks(sql.raw('s.cluster_id'), sql.raw('s.bucket_at'))})`;

/** SQL of the same columns: hours that were complete a moment ago. */
const knownHours = (hours: readonly ClusterHour[]): SQL =>
  sql`select k.cluster_id, k.bucket_at from unnest(${pgArray(
    'uuid',
    hours.map(({ cluster_id }) => cluster_id),
  )}, ${pgArray(
    'timestamptz',
    hours.map(({ hour_at }) => hour_at),
  )}) as k(cluster_id, bucket_at)`;

/** The complete hours within a range, in order. One query, of a few milliseconds. */
export async function listCompleteHours(executor: Executor, selection: RollupSelection): Promise<CompleteHour[]> {
  const rows = await executor.execute<CompleteHour>(sql`
    select h.cluster_id, to_char(h.bucket_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as hour_at, h.made
    from (${completeHours(selection)}) as h order by h.bucket_at, h.cluster_id`);
  return [...rows];
}

/** SQL: what is in no complete hour (those of `hours`), from minutes. */
function openTraffic(selection: RollupSelection, source: 'minutes' | 'hours', hours: SQL): SQL {
  const [from, to] = [sql`${selection.since}::timestamptz`, sql`${selection.until}::timestamptz`];
  const whole = widenToHours(selection);
  const minutes = sql`select ${COLUMNS} from open_hours as h cross join lateral (
    select * from ${flowRollupMinutes} as m where m.bucket_at >= h.at and m.bucket_at < h.at + interval '1 hour'
      and (m.cluster_id, h.at) ${NOT_COMPLETE}) as t where ${rollupConditions(whole)}`;
  const fromHours = sql`select ${COLUMNS} from ${flowRollupHours} as t
    where ${rollupConditions(whole)} and (t.cluster_id, t.bucket_at) ${NOT_COMPLETE}`;
  const reports = source === 'hours' ? sql`${minutes} union all ${fromHours}` : minutes;
  return sql`
    with complete_hours as materialized (${hours}),
    open_hours as materialized (
      select h.at from generate_series(${whole.since}::timestamptz, ${whole.until}::timestamptz - interval '1 hour', interval '1 hour') as h(at)
      where exists (select 1 from ${clusters} as c where (c.id, h.at) ${NOT_COMPLETE})
        or exists (select 1 from ${trafficTotals} as x where x.bucket_seconds = ${SUM_SECONDS.hour} and x.bucket_at = h.at
          and (x.cluster_id, x.bucket_at) ${NOT_COMPLETE}))
    select ${TRAFFIC_COLUMNS} from (${countedOnce(reports)}) as t where t.bucket_at >= ${from} and t.bucket_at < ${to}`;
}

/** SQL: totals of some complete hours. */
const totalTraffic = (selection: RollupSelection, hours: SQL): SQL => sql`
    select t.cluster_id, t.last_reported_at as bucket_at, ${sql.raw(OTHERS)}, true as counted, t.last_counted_at from ${flowHourTotals} as t
    where ((t.cluster_id, t.bucket_at) in (${hours})) is true and ${rollupConditions(selection)}`;

/**
 * Traffic of a range with `counted`, as `countedRollups` has it, in fewer rows: what counts and when it was last seen
 * (`last_counted_at`; by any node `bucket_at`), but not which nodes reported it. Each hour of each cluster is read from its totals or from
 * its minutes, in one statement: what changes an hour marks it in the same transaction.
 */
export function countedTraffic(selection: RollupSelection, source: 'minutes' | 'hours'): SQL {
  if (!canUseTotals(selection)) return sql`select ${TRAFFIC_COLUMNS} from (${countedRollups(selection, source)}) as t`;
  const complete = sql.raw('select cluster_id, bucket_at from complete_hours');
  return sql`${openTraffic(selection, source, completeHours(selection))} union all ${totalTraffic(selection, complete)}`;
}

/** The same in two parts: the totals of some hours that were complete a moment ago, and everything else. */
export const countedParts = (
  selection: RollupSelection,
  source: 'minutes' | 'hours',
  hours: readonly ClusterHour[],
) => ({
  totals: totalTraffic(selection, knownHours(hours)),
  rest: openTraffic(selection, source, knownHours(hours)),
});
