import type { Connection } from '../clickhouse/connection';
import { TABLE_SETTINGS } from '../clickhouse/migrate';
import { SETTLED_TABLES, selectMovedParts, selectMoves } from '../clickhouse/migrations';
import { raw } from '../clickhouse/statement';
import type { DayTotal } from './day-totals';
import type { MoveKind } from './move-record';

/** Tables like those of flows, in which one day at a time is put together: nothing but the move writes there, and no page reads there. */
const STAGED = {
  flows: [['moving_flows', 'flows']],
  totals: [
    ['moving_minutes', 'rollup_minutes'],
    ['moving_hours', 'rollup_hours'],
    ['moving_parts', 'unresolved_minutes'],
  ],
} as const satisfies Record<MoveKind, readonly (readonly [staged: string, target: string])[]>;

const PAIRS = Object.values(STAGED).flat();
const VIEWS = {
  to_moving_minutes: `to moving_minutes as ${selectMoves('minute', 'moving_totals as m where m.is_minute')}`,
  to_moving_hours: `to moving_hours as ${selectMoves('hour', 'moving_totals as m')}`,
  to_moving_parts: `to moving_parts as ${selectMovedParts('moving_totals')}`,
};

/** Where rows of a day are sent. */
const TARGETS: Record<MoveKind, string> = { flows: 'moving_flows', totals: 'moving_totals' };

export async function createStaging(connection: Connection): Promise<void> {
  for (const [staged, target] of PAIRS) {
    await connection.run(`create table if not exists ${staged} as ${target}`, TABLE_SETTINGS);
  }
  // Rows of both: what is by the minute adds to its hour, too.
  await connection.run(`create table if not exists moving_totals as incoming_moves engine = Null`, TABLE_SETTINGS);
  await connection.run('alter table moving_totals add column if not exists is_minute Bool');
  for (const [name, rest] of Object.entries(VIEWS)) {
    await connection.run(`create materialized view if not exists ${name} ${rest}`, TABLE_SETTINGS);
  }
}

export async function dropStaging(connection: Connection): Promise<void> {
  const tables = [...Object.keys(VIEWS), 'moving_totals', ...PAIRS.map(([staged]) => staged)];
  for (const name of tables) await connection.run(`drop table if exists ${name}`);
}

/** Whether ClickHouse holds flows or totals of flows. */
export async function hasClickhouseFlows(connection: Connection): Promise<boolean> {
  const counts = PAIRS.map(([, target]) => `(select count() from ${target})`);
  const [row] = await connection.read<{ rows: number }>(raw(`select ${counts.join(' + ')} as rows`));
  return (row?.rows ?? 0) > 0;
}

/**
 * Makes sure that no conversation counts as settled, in tables that hold no flows: those that are moved changed long ago. None settles before all
 * flows have moved.
 */
export async function forgetSettled(connection: Connection): Promise<void> {
  for (const table of SETTLED_TABLES) await connection.run(`truncate table ${table}`);
}

/** Removes what an earlier attempt has copied of a day. */
export async function emptyStaging(connection: Connection, kind: MoveKind): Promise<void> {
  for (const [staged] of STAGED[kind]) await connection.run(`truncate table ${staged}`);
}

/** Copies a page. @param token by which it is recognized when it is sent again: no insert of anything else comes between */
export const stagePage = (connection: Connection, kind: MoveKind, token: string, page: Buffer): Promise<void> =>
  connection.insert(`${TARGETS[kind]} FORMAT JSONEachRow`, { name: token, blocks: [page] });

const HOUR = `formatDateTime(h, '%FT%TZ', 'UTC')`;
const SUM = (name: string) => `toString(sum(toInt128(ifNull(${name}, 0))))`;
const ROLLUP_SUMS = `${SUM('bytes')} as bytes, ${SUM('packets')} as packets, ${SUM('flows')} as flows`;
/** Without `reports` rows whose totals are zero would be left out. */
const readRollup = (what: string, table: string, rows: string) => `
  select '${what}' as what, ${HOUR} as at, ${rows} as rows, ${ROLLUP_SUMS}
  from (select toStartOfHour(bucket_at) as h, bytes, packets, flows from ${table} final where reports <> 0) group by h`;

const TOTALS: Record<MoveKind, string> = {
  flows: `select 'flows' as what, ${HOUR} as at, toString(count()) as rows, ${SUM('bytes')} as bytes, ${SUM('packets')} as packets,
      concat(toString(toUnixTimestamp64Milli(min(first_seen_at))), '-', toString(toUnixTimestamp64Milli(max(observed_at)))) as flows
    from (select began_at as h, bytes, packets, first_seen_at, observed_at from moving_flows final) group by h`,
  totals: [
    readRollup('minutes', 'moving_minutes', 'toString(count())'),
    readRollup('hours', 'moving_hours', `'-'`),
    readRollup('parts of minutes', 'moving_parts', `'-'`),
  ].join(' union all '),
};

/** What has been copied of a day, by the hour. */
export const readStagedTotals = (connection: Connection, kind: MoveKind): Promise<DayTotal[]> =>
  connection.read<DayTotal>(raw(TOTALS[kind]));

/**
 * Gives a day that is complete to the tables that are read, partition by partition: what is gone from here is there. Repeated after an
 * interruption, it continues.
 */
export async function attachStaged(connection: Connection, kind: MoveKind): Promise<void> {
  for (const [staged, target] of STAGED[kind]) {
    const partitions = await connection.read<{ id: string }>(
      raw(`select distinct _partition_id as id from ${staged} order by id`),
    );
    for (const { id } of partitions) {
      if (!/^\w+$/.test(id)) throw new Error('expected the id of a partition');
      // Two at the same time would both bring their rows: one that was left behind must have ended.
      await connection.run(
        `alter table ${staged} move partition id '${id}' to table ${target}`,
        {},
        `fabric ${staged} ${id}`,
      );
    }
  }
}
