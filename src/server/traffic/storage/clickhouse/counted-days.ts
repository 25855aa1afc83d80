import { sql } from 'drizzle-orm';
import { DAY_MS, HOUR_MS } from '@/domain/durations';
import { ceilTo, floorTo, HOURLY_HOURS, minuteCutoff, type Span } from '@/domain/flow/plan-range';
import { db, type Executor, type Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { flowCountedDays } from '../../../db/schema/flows';
import { trafficMarks } from '../../../db/schema/traffic';
import { clock } from '../../../lib/clock';
import type { OwnedPeriod } from '../flow-selection';
import { lockTrafficSums } from '../postgres/hours-to-sum';
import type { Connection } from './connection';
import { countedOnce } from './counted-once';
import { ch, type Part, raw, second, toStatement } from './statement';
import { DAY_COLUMNS, rollupRows } from './visible-rows';

/*
 * Groups of a year read every hour of it, and compare what the nodes reported in each. Of days of which there are no minutes any more, what
 * counts is therefore counted in advance. `flow_counted_days` names them. One with a mark has changed since and is read by the hour; taking
 * the mark away removes its name, by a trigger, and the day is made again.
 */

/** Days that are looked for at a time. */
const MAX_DAYS = 64;

type DayRow = { day_s: number };
const SECONDS = sql.raw('extract(epoch from d.day_at)::float8 as day_s');
const HAS_MARKS = sql`exists (select 1 from ${trafficMarks} as m
  where m.bucket_at >= d.day_at and m.bucket_at < d.day_at + interval '24 hours')`;

const toIso = (ms: number) => new Date(ms).toISOString();
const times = (days: readonly number[]) => pgArray('timestamptz', days.map(toIso));

/**
 * The days inside a range that were counted, when they begin, in milliseconds and in order. Those in which a workload of the reader moved are read
 * by the hour.
 */
export async function findCountedDays({ since, until }: Span, periods: readonly OwnedPeriod[]): Promise<number[]> {
  if (until - since < DAY_MS) return [];
  const rows = await db.execute<DayRow>(sql`
    select ${SECONDS} from ${flowCountedDays} as d
    where d.day_at >= ${toIso(since)}::timestamptz and d.day_at + interval '24 hours' <= ${toIso(until)}::timestamptz and not ${HAS_MARKS}
    order by d.day_at`);
  const moved = periods.flatMap(({ from, to }) =>
    [from, to].flatMap((at) => (at === null ? [] : [floorTo(Date.parse(at), DAY_MS)])),
  );
  return rows.map(({ day_s }) => day_s * 1000).filter((day) => !moved.includes(day));
}

/** Days that are to be counted, the newest first, not all when there are many. */
async function findDays(executor: Executor): Promise<number[]> {
  const now = clock.now().getTime();
  const first = ceilTo(now - HOURLY_HOURS * HOUR_MS, DAY_MS);
  const last = floorTo(minuteCutoff(now), DAY_MS) - DAY_MS;
  const rows = await executor.execute<DayRow>(sql`
    select ${SECONDS} from generate_series(${toIso(first)}::timestamptz, ${toIso(last)}::timestamptz, interval '24 hours') as d(day_at)
    where not exists (select 1 from ${flowCountedDays} as c where c.day_at = d.day_at) and not ${HAS_MARKS}
    order by d.day_at desc limit ${MAX_DAYS}`);
  return rows.map(({ day_s }) => day_s * 1000);
}

const saveDays = (tx: Tx, days: readonly number[], rows: number) =>
  tx.execute(sql`
  insert into ${flowCountedDays} (day_at, rows) select d.day_at, ${rows} from unnest(${times(days)}) as d(day_at)
  on conflict (day_at) do update set rows = excluded.rows`);

/** What is counted of a day: the same columns as of its hours, but one row for all of these. */
function selectDay(day: number): Part {
  const sums = ['bytes', 'packets', 'flows'];
  const keys = DAY_COLUMNS.filter((name) => name !== 'bucket_at' && !sums.includes(name));
  const hours = countedOnce(ch`select t.* from ${rollupRows('hours', [{ since: day, until: day + DAY_MS }], [])} as t`);
  const columns = [
    ...['max(t.bucket_at) as bucket_at'],
    ...keys.map((name) => `t.${name} as ${name}`),
    ...sums.map((name) => `sum(t.${name}) as ${name}`),
  ];
  return ch`insert into made_days (day, ${raw(['bucket_at', ...keys, ...sums].join(', '))})
    select toDate(${second(day)}), ${raw(columns.join(', '))} from (${hours}) as t group by ${raw(keys.map((name) => `t.${name}`).join(', '))}`;
}

/** Counts a day. Pages read it as it was, or as it is then: all of it is replaced in one step. */
async function countDay(connection: Connection, tx: Tx, day: number): Promise<void> {
  await connection.run('truncate table made_days');
  // Also when these rows are the same as before.
  await connection.run(toStatement(selectDay(day)).query, { insert_deduplicate: 0 });
  const [made] = await connection.read<{ rows: number }>(raw('select count() as rows from made_days'));
  const partition = `'${toIso(day).slice(0, 10)}'`;
  const replace = made?.rows ? `replace partition ${partition} from made_days` : `drop partition ${partition}`;
  await connection.run(`alter table counted_days ${replace}`);
  await saveDays(tx, [day], made?.rows ?? 0);
}

/** Days in which there was no traffic have been counted then. @returns the others */
async function skipEmptyDays(connection: Connection, tx: Tx, days: readonly number[]): Promise<number[]> {
  const within = ch`r.bucket_at >= ${second(Math.min(...days))} and r.bucket_at < ${second(Math.max(...days) + DAY_MS)}`;
  const read = (table: string, at: string) =>
    connection.read<DayRow>(ch`
    select distinct toUnixTimestamp(toStartOfDay(${raw(at)})) as day_s from ${raw(table)} as r where ${within}`);
  const [hours, counted] = [await read('rollup_hours', 'r.bucket_at'), await read('counted_days', 'r.bucket_at')];
  const used = new Set([...hours, ...counted].map(({ day_s }) => day_s * 1000));
  await saveDays(
    tx,
    days.filter((day) => !used.has(day)),
    0,
  );
  return days.filter((day) => used.has(day));
}

/**
 * Counts days that are due, as long as there is time. Safe to interrupt, and to run several times: what is not counted is read by the hour.
 * @param hasTime whether another one may begin
 * @returns whether none is left
 */
export async function countDays(connection: Connection, hasTime: () => boolean): Promise<boolean> {
  for (;;) {
    const days = await db.transaction(async (tx) => {
      await lockTrafficSums(tx);
      const due = await findDays(tx);
      return due.length === 0 ? null : skipEmptyDays(connection, tx, due);
    });
    if (days === null) return true;
    for (const day of days) {
      if (!hasTime()) return false;
      await db.transaction(async (tx) => {
        await lockTrafficSums(tx);
        await countDay(connection, tx, day);
      });
    }
  }
}

/** Has days counted again of which ClickHouse does not have what was counted: it may have been restored from a backup. */
export async function checkDays(connection: Connection): Promise<void> {
  await db.transaction(async (tx) => {
    await lockTrafficSums(tx);
    const stored = await connection.read<DayRow & { rows: number }>(
      raw(`
      select toUnixTimestamp(toDateTime(r.day, 'UTC')) as day_s, count() as rows from counted_days as r group by r.day`),
    );
    const rowsOf = new Map(stored.map(({ day_s, rows }) => [day_s, rows]));
    const counted = await tx.execute<DayRow & { rows: number }>(
      sql`select ${SECONDS}, d.rows::float8 as rows from ${flowCountedDays} as d`,
    );
    const wrong = counted.filter(({ day_s, rows }) => (rowsOf.get(day_s) ?? 0) !== rows);
    const days = times(wrong.map(({ day_s }) => day_s * 1000));
    if (wrong.length > 0) await tx.execute(sql`delete from ${flowCountedDays} where day_at = any (${days})`);
  });
}

/** Forgets which days before a moment were counted, so that they can be deleted. */
export async function forgetDays(before: number): Promise<void> {
  await db.execute(sql`delete from ${flowCountedDays} where day_at < ${toIso(before)}::timestamptz`);
}
