import { DAY_MS, HOUR_MS } from '@/domain/durations';
import type { EndFilter } from '@/domain/flow/flow-end';
import { ceilTo, floorTo, minuteCutoff, type Span, splitByDays } from '@/domain/flow/plan-range';
import { clock } from '../../../lib/clock';
import { parseOptionalEndFilter, type RollupSelection } from '../flow-selection';
import { commonConditions, modeConditions, portIn, workloadIs } from './conditions';
import { findCountedDays } from './counted-days';
import { countedOnce } from './counted-once';
import { TWO_GUESTS } from './flow-direction';
import { all, any, ch, inIds, type Part, raw, second, uuid } from './statement';
import { DAY_COLUMNS, dayRows, rollupRows } from './visible-rows';

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

/** All reports of a range, or of spans of it, from rollup tables, whether they count or not. Minutes are read where they are surely kept. */
export function reportedRollups(
  selection: RollupSelection,
  source: 'minutes' | 'hours',
  spans: readonly Span[] = [toSpan(selection)],
): Part {
  const where = rollupConditions(selection);
  const rows = (table: 'minutes' | 'hours', of: readonly Span[]) =>
    ch`select t.* from ${rollupRows(table, of, selection.periods)} as t where ${where}`;
  if (source === 'minutes') return rows('minutes', spans);
  const border = minuteCutoff(clock.now().getTime());
  const hours = spans
    .filter(({ since }) => since < border)
    .map((span) => ({ ...span, until: Math.min(span.until, border) }));
  const minutes = spans
    .filter(({ until }) => until > border)
    .map((span) => ({ ...span, since: Math.max(span.since, border) }));
  if (minutes.length === 0) return rows('hours', hours);
  return hours.length === 0
    ? rows('minutes', minutes)
    : ch`${rows('hours', hours)} union all ${rows('minutes', minutes)}`;
}

const toSpan = ({ since, until }: RollupSelection): Span => ({ since: Date.parse(since), until: Date.parse(until) });

/** The hours at the ends are read as a whole, so that what counts does not depend on where the range is cut. */
function countedSpans(selection: RollupSelection, source: 'minutes' | 'hours', spans: readonly Span[]): Part {
  const { since, until } = toSpan(selection);
  const whole = spans.map((span) => ({ since: floorTo(span.since, HOUR_MS), until: ceilTo(span.until, HOUR_MS) }));
  return ch`select ${COLUMNS} from (${countedOnce(reportedRollups(selection, source, whole))}) as t
    where t.bucket_at >= ${second(since)} and t.bucket_at < ${second(until)}`;
}

const COLUMNS = raw(DAY_COLUMNS.map((name) => `t.${name} as ${name}`).join(', '));

/**
 * Traffic of a range from its rollup tables, with `counted`: see `countedOnce`. Days that were counted in advance are read as such, with the last
 * of their hours.
 * @param buckets in which it is added up, of so many seconds; undefined: as a whole
 */
export async function countedRollups(
  selection: RollupSelection,
  source: 'minutes' | 'hours',
  buckets?: { first: string; width: number },
): Promise<Part> {
  const range = toSpan(selection);
  const isWhole = !buckets || [buckets.width * 1000, Date.parse(buckets.first)].every((ms) => ms % DAY_MS === 0);
  const isByDay = source === 'hours' && isWhole;
  const { days, rest } = splitByDays(range, isByDay ? await findCountedDays(range, selection.periods) : []);
  if (days.length === 0) return countedSpans(selection, source, [range]);
  // Of one node alone all counts, and so does what has one end that the reader knows.
  const counted = selection.filter.node_id === undefined ? ch`(not ${raw(TWO_GUESTS)} or t.counted)` : raw('true');
  const ofDays = ch`select ${raw(
    DAY_COLUMNS.filter((name) => name !== 'counted')
      .map((name) => `t.${name} as ${name}`)
      .join(', '),
  )},
    ${counted} as counted from ${dayRows(days, selection.periods)} as t where ${rollupConditions(selection)}`;
  return rest.length === 0 ? ofDays : ch`${ofDays} union all ${countedSpans(selection, source, rest)}`;
}
