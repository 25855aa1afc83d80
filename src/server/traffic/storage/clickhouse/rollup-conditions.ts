import { HOUR_MS } from '@/domain/durations';
import type { EndFilter } from '@/domain/flow/flow-end';
import { minuteCutoff } from '@/domain/flow/plan-range';
import { clock } from '../../../lib/clock';
import { parseOptionalEndFilter, type RollupSelection } from '../flow-selection';
import { commonConditions, modeConditions, portIn, workloadIs } from './conditions';
import { countedOnce } from './counted-once';
import { all, any, ch, inIds, type Part, raw, second, uuid } from './statement';
import { rollupRows } from './visible-rows';

const SOURCE = raw('t.source_workload_id');
const DESTINATION = raw('t.destination_workload_id');

const isInternal = (end: 'source' | 'destination', { kind }: EndFilter): Part =>
  raw(`${kind === 'internal' ? '' : 'not '}t.${end}_internal`);

/** Whether the other end is outside the known subnets. */
const isExternal = (workload: Part): Part =>
  ch`not if(${SOURCE} = ${workload}, t.destination_internal, t.source_internal)`;

/** The WHERE for rollups, of the table under the alias `t`; for filters that `canUseRollups`. */
function rollupConditions(selection: RollupSelection): Part {
  const { visible, filter } = selection;
  const conditions = [
    ...(visible === 'all' ? [] : [any([inIds(SOURCE, visible), inIds(DESTINATION, visible)])]),
    ...commonConditions(selection),
  ];
  const { workload_id, port } = filter;
  if (workload_id !== undefined) {
    conditions.push(any([SOURCE, DESTINATION].map((end) => workloadIs(end, workload_id, visible))));
    const workload = uuid(workload_id);
    conditions.push(...modeConditions(selection.mode ?? 'all', workload, isExternal(workload)));
  }
  if (port !== undefined) conditions.push(any(port.map((range) => portIn(raw('t.service_port'), range))));
  const [address, source, destination] = [filter.address, filter.source, filter.destination].map(
    parseOptionalEndFilter,
  );
  if (address) conditions.push(any([isInternal('source', address), isInternal('destination', address)]));
  if (source) conditions.push(isInternal('source', source));
  if (destination) conditions.push(isInternal('destination', destination));
  return all(conditions);
}

/** All reports of a range from its rollup tables, whether they count or not. Minutes are read where they are surely kept. */
export function reportedRollups(selection: RollupSelection, source: 'minutes' | 'hours'): Part {
  const [since, until] = [Date.parse(selection.since), Date.parse(selection.until)];
  const where = rollupConditions(selection);
  const rows = (table: 'minutes' | 'hours', range: { since: number; until: number }) =>
    ch`select t.* from ${rollupRows(table, range, selection.periods)} as t where ${where}`;
  if (source === 'minutes') return rows('minutes', { since, until });
  const border = minuteCutoff(clock.now().getTime());
  if (since >= border) return rows('minutes', { since, until });
  if (until <= border) return rows('hours', { since, until });
  return ch`${rows('hours', { since, until: border })} union all ${rows('minutes', { since: border, until })}`;
}

/**
 * Traffic of a range from its rollup tables, with `counted`: see `countedOnce`. The hours at the ends are read as a whole, so that what
 * counts does not depend on where the range is cut.
 */
export function countedRollups(selection: RollupSelection, source: 'minutes' | 'hours'): Part {
  const [since, until] = [Date.parse(selection.since), Date.parse(selection.until)];
  const hour = (at: number, round: (hours: number) => number) => new Date(round(at / HOUR_MS) * HOUR_MS).toISOString();
  const whole = { ...selection, since: hour(since, Math.floor), until: hour(until, Math.ceil) };
  return ch`select t.* from (${countedOnce(reportedRollups(whole, source))}) as t
    where t.bucket_at >= ${second(since)} and t.bucket_at < ${second(until)}`;
}
