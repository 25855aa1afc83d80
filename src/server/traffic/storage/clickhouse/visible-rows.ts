import { HOUR_MS } from '@/domain/durations';
import type { Span } from '@/domain/flow/plan-range';
import { getBegunHour } from '../assign-reports';
import type { FlowReach, FlowSelection, OwnedPeriod, VisibleWorkloads } from '../flow-selection';
import { FLOW_KEY, NEWEST, ROLLUP_IDENTITY } from './migrations';
import { all, any, ch, inIds, join, NONE, number, type Part, raw, second, texts, time, uuid } from './statement';

/** A number that JavaScript can hold, or null: `least` would leave that out. */
export const capped = (column: string): string =>
  `if(${column} > ${Number.MAX_SAFE_INTEGER}, toInt64(${Number.MAX_SAFE_INTEGER}), ${column})`;

/** The workload id in the column, or none where it may not be seen: to strangers the end is an address and no more. */
export const ifVisible = (column: Part, visible: VisibleWorkloads): Part =>
  visible === 'all' ? column : ch`if(${inIds(column, visible)}, ${column}, ${uuid(NONE)})`;

/**
 * The subnet of an end (`cidr`), for users who may see its workload or the subnet. All others get every address
 * (`0.0.0.0/0`, `::/0`): this shows that the end is inside the installation, but not where. See `toVisibleCidr`.
 */
export function cidrIfVisible(cidr: Part, workload: Part, { visible, prefixes }: FlowReach): Part {
  if (visible === 'all' || prefixes === 'all') return cidr;
  const known = prefixes.length === 0 ? raw('false') : ch`has(${texts(prefixes)}, ${cidr})`;
  return ch`if(${cidr} = '' or ${inIds(workload, visible)} or ${known}, ${cidr},
    if(position(${cidr}, ':') > 0, '::/0', '0.0.0.0/0'))`;
}

/** When rows are read: those that were seen in this time, of one conversation, or of conversations with one of some workloads (`about`). */
export type SeenRange = {
  since: string;
  until: string | null;
  conversation_id?: string | undefined;
  about?: readonly string[] | undefined;
  /** Of flows: conversations of which some report, as `s`, is like one of these. Instead of `about`. */
  reported?: readonly Part[] | undefined;
};

type Ranged = Pick<FlowSelection, 'cutoff' | 'since' | 'until'> &
  Partial<Pick<FlowSelection, 'filter'>> & { visible?: VisibleWorkloads | undefined };

/** Of which workloads all that is meant is; undefined: of any. */
function listWorkloads({ filter, visible }: Ranged): readonly string[] | undefined {
  const { workload_id, source_workload_id, destination_workload_id } = filter ?? {};
  const one = [workload_id, source_workload_id, destination_workload_id].find(
    (id) => id !== undefined && id !== 'none',
  );
  if (one !== undefined) return [one];
  return visible === 'all' ? undefined : visible;
}

/** When the flows of a selection are read: an expired one never matches. */
export function toRange(selection: Ranged): SeenRange {
  const { cutoff, since, until, filter } = selection;
  const [later] = [cutoff, since].sort().reverse() as [string, string];
  return { since: later, until, conversation_id: filter?.conversation_id, about: listWorkloads(selection) };
}

/** The same, or those with some keys (a SELECT of `FLOW_KEY`), of some conversations (a SELECT of their hours and ids), or of which the key is as stated (as `f`). */
export type RowRange = SeenRange | { keys: Part } | { conversations: Part } | { condition: Part };

const newest = (name: (typeof NEWEST)[number][0], as = 'f') =>
  `tupleElement(${as}.newest, ${NEWEST.findIndex(([known]) => known === name) + 1})`;

/** Columns of a flow as they are read. */
const FLOW_COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['began_at', 'conversation_id', 'forward', 'decision', 'node_id', 'cluster_id', 'protocol', 'source_ip'],
      ...[
        'destination_ip',
        'source_port',
        'destination_port',
        'first_seen_at',
        'observed_at',
        'created_at',
        'updated_at',
        'changed_at',
      ],
      ...['source_workload_id', 'destination_workload_id', 'source_cidr', 'destination_cidr', 'is_final'],
    ].map((name) => [name, `f.${name}`]),
  ),
  bytes: capped('f.bytes'),
  packets: capped('f.packets'),
  ...Object.fromEntries(
    (['interface', 'vmid', 'nic', 'vlan', 'workload_id', 'state', 'collector', 'initiator', 'raw'] as const).map(
      (name) => [name, newest(name)],
    ),
  ),
  icmp_type: `ifNull(intDiv(f.opening_icmp, 256), ${newest('icmp_type')})`,
  icmp_code: `ifNull(f.opening_icmp % 256, ${newest('icmp_code')})`,
};

/** The identity of a flow, in the order of the table, of rows under an alias. */
export const getFlowKey = (alias: string): Part =>
  raw(
    FLOW_KEY.split(', ')
      .map((name) => `${alias}.${name}`)
      .join(', '),
  );

/** Conversations mostly end soon: older ones are looked for. */
const MARGIN_MS = HOUR_MS;

/** What is sorted by conversations: the columns of their ids, and of when they were last seen. */
export type Sorted = { table: string; id: string; seen: string };
const FLOWS: Sorted = { table: 'flows', id: 'conversation_id', seen: 'observed_at' };

/**
 * Which conversations a range can be about, by the hour in which they began: it is what the table (as `f`) is sorted by. Those that began long
 * before it or, as a late report said, not as late as the first one had it, are looked for by their times.
 */
export function withinRange({ since, until, conversation_id }: SeenRange, { table, id, seen }: Sorted, as = 'f'): Part {
  if (conversation_id !== undefined) {
    return ch`${raw(as)}.began_at = ${second(getBegunHour(conversation_id))} and ${raw(as)}.${raw(id)} = ${uuid(conversation_id)}`;
  }
  const key = raw(`(${as}.began_at, ${as}.${id})`);
  const begun = raw(`${as}.began_at`);
  const others = raw(`select o.began_at, o.${id} from ${table} as o where o.began_at`);
  const from = second(Math.floor(Date.parse(since) / HOUR_MS) * HOUR_MS - MARGIN_MS);
  const conditions = [
    ch`(${begun} >= ${from} or ${key} in (${others} < ${from} and o.${raw(seen)} >= ${time(since)}))`,
  ];
  if (until !== null) {
    const to = second(Math.ceil(Date.parse(until) / HOUR_MS) * HOUR_MS);
    conditions.push(ch`(${begun} < ${to} or ${key} in (${others} >= ${to} and o.first_seen_at < ${time(until)}))`);
  }
  return all(conditions);
}

/** What of a table (as `s`) names one of some workloads, as hours and ids. One condition after the other, as only then the indexes are used. */
export const listNaming = (conditions: readonly Part[], range: SeenRange, sorted: Sorted): Part =>
  join(
    conditions.map(
      (condition) => ch`select s.began_at, s.${raw(sorted.id)} from ${raw(sorted.table)} as s
        where ${condition} and ${withinRange(range, sorted, 's')}`,
    ),
    ' union all ',
  );

/** Whether what is stored as `s` names one of some workloads: at an end, or at the interface that saw it. */
export const isNamed = (ids: readonly string[], columns: readonly string[]): Part[] =>
  columns.map((column) => inIds(raw(column), ids));

const NAMING_COLUMNS = ['s.source_workload_id', 's.destination_workload_id', newest('workload_id', 's')];

/** Of which flows all is read and merged, by columns that are the same in all that is stored of one. */
function chooseFlows(range: RowRange): Part {
  if ('condition' in range) return range.condition;
  if ('keys' in range) return ch`(${getFlowKey('f')}) in (${range.keys})`;
  if ('conversations' in range) return ch`(f.began_at, f.conversation_id) in (${range.conversations})`;
  const { about, reported = about && isNamed(about, NAMING_COLUMNS) } = range;
  if (reported === undefined) return withinRange(range, FLOWS);
  // Some report is enough, and not all are alike: what is stored of these conversations is read as a whole.
  return ch`(f.began_at, f.conversation_id) in (${listNaming(reported, range, FLOWS)})`;
}

type Within = (period: OwnedPeriod) => Part;

/** An end as far as it belonged to the reader: strangers see an address and no more. */
function boundedEnd(column: Part, end: string, periods: readonly OwnedPeriod[], within: Within): Part {
  if (periods.length === 0) return column;
  const ids = periods.map(({ workload_id }) => workload_id);
  const inside = any(periods.map((period) => ch`(${raw(end)} = ${uuid(period.workload_id)} and ${within(period)})`));
  return ch`if(${inIds(raw(end), ids)} and not ${inside}, ${uuid(NONE)}, ${column})`;
}

/** Since when it lasts: since when a connection lasts that began under another owner is none of this one's business. */
function clippedBegin(column: Part, ends: readonly string[], periods: readonly OwnedPeriod[], within: Within): Part {
  const started = periods.filter(({ from }) => from !== null);
  if (started.length === 0) return column;
  const cases = started.map((period) => {
    const isTheirs = any(ends.map((end) => ch`${raw(end)} = ${uuid(period.workload_id)}`));
    return ch`${within(period)} and ${isTheirs}, greatest(${column}, ${time(period.from ?? '')}), `;
  });
  return ch`multiIf(${join(cases, '')}${column})`;
}

/** Whether a row belongs to a period: it began there, and was last seen there. */
const withinPeriod =
  (created: string, seen: string): Within =>
  ({ from, to }) =>
    all([
      ...(from === null ? [] : [ch`${raw(created)} >= ${time(from)} and ${raw(seen)} >= ${time(from)}`]),
      ...(to === null ? [] : [ch`${raw(seen)} < ${time(to)}`]),
    ]);

const FLOW_ENDS = ['workload_id', 'source_workload_id', 'destination_workload_id'];

/** What expired is gone for its readers, whenever ClickHouse deletes it. */
export const EXPIRED_UNTIL = raw('(select max(until) from flow_expiry)');
export const NOT_EXPIRED = ch`f.observed_at >= ${EXPIRED_UNTIL}`;

/** Flows, for FROM, as far as their workloads belonged to the reader when they were observed. */
export function flowRows(range: RowRange, periods: readonly OwnedPeriod[]): Part {
  const within = withinPeriod('f.created_at', 'f.observed_at');
  const ends = FLOW_ENDS.map((name) => FLOW_COLUMNS[name] as string);
  const columns = Object.entries(FLOW_COLUMNS).map(([name, column]) => {
    let shown = raw(column);
    if (FLOW_ENDS.includes(name)) shown = boundedEnd(shown, column, periods, within);
    if (name === 'first_seen_at') shown = clippedBegin(shown, ends, periods, within);
    return ch`${shown} as ${raw(name)}`;
  });
  return ch`(select ${join(columns, ', ')} from flows as f final prewhere ${chooseFlows(range)} where ${NOT_EXPIRED})`;
}

/** The same of rows that have been put together from flows, with `created_at` and when they were last seen. */
export function boundedColumns(
  names: readonly string[],
  { alias, ends, seen }: { alias: string; ends: readonly string[]; seen: string },
  periods: readonly OwnedPeriod[],
): Part {
  const within = withinPeriod(`${alias}.created_at`, `${alias}.${seen}`);
  const of = ends.map((end) => `${alias}.${end}`);
  const columns = names.map((name) => {
    let shown = raw(`${alias}.${name}`);
    if (ends.includes(name)) shown = boundedEnd(shown, `${alias}.${name}`, periods, within);
    if (name === 'first_seen_at') shown = clippedBegin(shown, of, periods, within);
    return ch`${shown} as ${raw(name)}`;
  });
  return join(columns, ', ');
}

/** Columns of totals by the minute or hour. */
const ROLLUP_COLUMNS = ['bucket_at', 'rollup_key', 'node_id', 'cluster_id', ...ROLLUP_IDENTITY];
const ROLLUP_ENDS = ['source_workload_id', 'destination_workload_id'];
const SUMS = ['bytes', 'packets', 'flows'];

/** The moments from which and up to which (not included) a column of seconds is read. */
const isInside = (column: string, spans: readonly Span[]): Part =>
  any(spans.map(({ since, until }) => ch`(${raw(column)} >= ${second(since)} and ${raw(column)} < ${second(until)})`));

/** Columns of totals, as far as their workloads belonged to the reader in so many seconds. */
function boundedTotals(names: readonly string[], seconds: number, periods: readonly OwnedPeriod[]): Part[] {
  const size = number(seconds);
  const within: Within = ({ from, to }) =>
    all([
      ...(from === null ? [] : [ch`r.bucket_at >= ${time(from)}`]),
      ...(to === null ? [] : [ch`r.bucket_at + ${size} <= ${time(to)}`]),
    ]);
  return names.map((name) => {
    const column = raw(`r.${name}`);
    const shown = ROLLUP_ENDS.includes(name) ? boundedEnd(column, `r.${name}`, periods, within) : column;
    return ch`${shown} as ${raw(name)}`;
  });
}

/**
 * Traffic per minute or hour. A row whose totals are all zero goes when it is merged, and only those that are read count: `reports` keeps it
 * as long as there is something in it. The bucket in which a workload moved belongs to neither owner.
 */
export function rollupRows(source: 'minutes' | 'hours', spans: readonly Span[], periods: readonly OwnedPeriod[]): Part {
  const columns = boundedTotals(ROLLUP_COLUMNS, source === 'minutes' ? 60 : 3600, periods);
  const sums = SUMS.map((name) => raw(`${capped(`r.${name}`)} as ${name}`));
  return ch`(select ${join([...columns, ...sums], ', ')} from ${raw(`rollup_${source}`)} as r final
    where r.reports <> 0 and ${isInside('r.bucket_at', spans)})`;
}

/** Of totals of whole days, and of what is read beside them. */
export const DAY_COLUMNS = ['bucket_at', 'node_id', 'cluster_id', ...ROLLUP_IDENTITY, ...SUMS, 'counted'];

/** Traffic of whole days, each with the last of its hours, and whether it counts. In none of them a workload moved. */
export function dayRows(days: readonly Span[], periods: readonly OwnedPeriod[]): Part {
  const inside = any(
    days.map(({ since, until }) => ch`(r.day >= toDate(${second(since)}) and r.day < toDate(${second(until)}))`),
  );
  return ch`(select ${join(boundedTotals(DAY_COLUMNS, 3600, periods), ', ')} from counted_days as r where ${inside})`;
}
