import { type SQL, sql } from 'drizzle-orm';
import type { EndFilter } from '@/domain/flow/flow-end';
import type { TrafficMode } from '@/domain/insights';
import { parseOptionalEndFilter, type RollupSelection } from '../flow-selection';
import { commonConditions, joinOr, portIn, workloadIs } from './condition-parts';
import { countedOnce } from './counted-once';
import { ROLLUP_COLUMNS } from './minutes';
import { inIdList, rollupRows } from './visible-rows';

const SOURCE = sql.raw('t.source_workload_id');

const DESTINATION = sql.raw('t.destination_workload_id');

const isInternal = (end: 'source' | 'destination', { kind }: EndFilter): SQL =>
  sql.raw(`${kind === 'internal' ? '' : 'not '}t.${end}_internal`);

/** SQL of a view of a workload's traffic. */
function modeCondition(mode: TrafficMode, workload: SQL): SQL | null {
  const other = sql`case when ${SOURCE} = ${workload} then t.destination_internal else t.source_internal end`;
  switch (mode) {
    case 'all':
      return null;
    case 'inbound':
      return sql`${DESTINATION} = ${workload}`;
    case 'outbound':
      return sql`${SOURCE} = ${workload}`;
    case 'internal':
      return other;
    case 'external':
      return sql`not (${other})`;
    case 'denied':
      return sql`t.decision in ('drop', 'reject')`;
  }
}

/** The WHERE for rollups, of the table under the alias `t`; for filters that `canUseRollups`. */
export function rollupConditions(selection: RollupSelection): SQL {
  const { visible, since, until, filter } = selection;
  const conditions = [
    sql`t.bucket_at >= ${since}::timestamptz and t.bucket_at < ${until}::timestamptz`,
    visible === 'all' ? null : sql`(${inIdList(SOURCE, visible)} or ${inIdList(DESTINATION, visible)})`,
    ...commonConditions(selection),
  ];
  const { workload_id, port } = filter;
  if (workload_id !== undefined) {
    const workload = sql`${workload_id}::uuid`;
    conditions.push(
      sql`(${workloadIs(SOURCE, workload_id, visible)} or ${workloadIs(DESTINATION, workload_id, visible)})`,
    );
    conditions.push(modeCondition(selection.mode ?? 'all', workload));
  }
  if (port !== undefined) conditions.push(joinOr(port.map((range) => portIn(sql.raw('t.service_port'), range))));
  const [address, source, destination] = [filter.address, filter.source, filter.destination].map(
    parseOptionalEndFilter,
  );
  if (address) conditions.push(sql`(${isInternal('source', address)} or ${isInternal('destination', address)})`);
  if (source) conditions.push(isInternal('source', source));
  if (destination) conditions.push(isInternal('destination', destination));
  return sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  );
}

/** Columns of both rollup tables, under the alias `t`. */
export const COLUMNS = sql.raw(['node_id', 'cluster_id', ...ROLLUP_COLUMNS].map((name) => `t.${name}`).join(', '));

const HOUR_MS = 3_600_000;

/** All reports of a range from its rollup tables, whether they count or not. */
export function reportedRollups(selection: RollupSelection, source: 'minutes' | 'hours'): SQL {
  const where = rollupConditions(selection);
  const minutes = sql`select ${COLUMNS} from ${rollupRows('minutes', selection.periods)} as t where ${where}`;
  return source === 'minutes'
    ? minutes
    : sql`${minutes} union all select ${COLUMNS} from ${rollupRows('hours', selection.periods)} as t where ${where}`;
}

/** The range with the hours at its ends as a whole. */
export function widenToHours(selection: RollupSelection): RollupSelection {
  const toHour = (time: string, round: (hours: number) => number) =>
    new Date(round(Date.parse(time) / HOUR_MS) * HOUR_MS).toISOString();
  return { ...selection, since: toHour(selection.since, Math.floor), until: toHour(selection.until, Math.ceil) };
}

/**
 * Traffic of a range from its rollup tables (minutes only, or hours and the minutes that have not moved into them),
 * with `counted`: see `countedOnce`. The hours at the ends are read as a whole, so that what counts does not depend on
 * where the range is cut.
 */
export function countedRollups(selection: RollupSelection, source: 'minutes' | 'hours'): SQL {
  const { since, until } = selection;
  return sql`select * from (${countedOnce(reportedRollups(widenToHours(selection), source))}) as c
    where c.bucket_at >= ${since}::timestamptz and c.bucket_at < ${until}::timestamptz`;
}
