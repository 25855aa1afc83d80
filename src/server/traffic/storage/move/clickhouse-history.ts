import type postgres from 'postgres';
import { DAY_MS, HOUR_MS } from '@/domain/durations';
import { minuteCutoff } from '@/domain/flow/plan-range';
import { getBegunHour } from '../assign-reports';
import { addressText } from '../clickhouse/conditions';
import type { Connection } from '../clickhouse/connection';
import { FLOW_KEY, ROLLUP_IDENTITY } from '../clickhouse/migrations';
import { ch, inIds, join, type Part, raw, second, text, uuid } from '../clickhouse/statement';
import { capped, flowRows, NOT_EXPIRED } from '../clickhouse/visible-rows';
import type { DayTotal } from './day-totals';
import type { Move, MoveDay, MoveKind } from './move-record';

/** What a day consists of, in this order. An hour of which there are minutes follows from them. */
export type Source = 'flows' | 'minutes' | 'hours' | 'parts';

type KeyValue = string | number | boolean;

/** A flow as ClickHouse has it; times in milliseconds since 1970, ids of what is unknown are zero. */
export type StoredFlow = {
  row_key: KeyValue[];
  conversation_id: string;
  forward: boolean;
  decision: string;
  node_id: string;
  cluster_id: string;
  source_address: string;
  destination_address: string;
  protocol: string;
  source_port: number | null;
  destination_port: number | null;
  bytes: number | null;
  packets: number | null;
  first_ms: number;
  observed_ms: number;
  created_ms: number;
  updated_ms: number;
  changed_ms: number;
  source_workload_id: string;
  destination_workload_id: string;
  source_cidr: string;
  destination_cidr: string;
  is_final: boolean;
  interface: string | null;
  vmid: number | null;
  nic: number | null;
  vlan: number | null;
  workload_id: string;
  state: string | null;
  collector: string;
  initiator: 'source' | 'destination' | null;
  icmp_type: number | null;
  icmp_code: number | null;
  raw: string | null;
};

/** A total by the minute or hour as ClickHouse has it, or what of a minute came from a flow. */
export type StoredTotal = {
  row_key: KeyValue[];
  bucket_s: number;
  node_id: string;
  cluster_id: string;
  source_workload_id: string;
  destination_workload_id: string;
  source_prefix: string;
  destination_prefix: string;
  source_internal: boolean;
  destination_internal: boolean;
  protocol: string;
  service_port: number | null;
  reply: boolean;
  decision: string;
  bytes: number;
  packets: number;
  flows: number;
};
export type StoredPart = StoredTotal & { conversation_id: string; forward: boolean };

const PLAIN = [
  ...['conversation_id', 'forward', 'decision', 'node_id', 'cluster_id', 'protocol', 'source_port', 'destination_port'],
  ...[
    'bytes',
    'packets',
    'source_workload_id',
    'destination_workload_id',
    'source_cidr',
    'destination_cidr',
    'is_final',
  ],
  ...[
    'interface',
    'vmid',
    'nic',
    'vlan',
    'workload_id',
    'state',
    'collector',
    'initiator',
    'icmp_type',
    'icmp_code',
    'raw',
  ],
];
const TIMES = {
  first_ms: 'first_seen_at',
  observed_ms: 'observed_at',
  created_ms: 'created_at',
  updated_ms: 'updated_at',
  changed_ms: 'changed_at',
};
const SUMS = ['bytes', 'packets', 'flows'];

type KeyType = 'second' | 'id' | 'flag' | 'text';
const LITERALS: Record<KeyType, (of: KeyValue) => Part> = {
  second: (of) => second(Number(of) * 1000),
  id: (of) => uuid(String(of)),
  flag: (of) => raw(String(Boolean(of))),
  text: (of) => text(String(of)),
};
const SHOWN: Record<KeyType, (column: string) => string> = {
  second: (column) => `toUnixTimestamp(${column})`,
  id: (column) => `toString(${column})`,
  flag: (column) => column,
  text: (column) => `toString(${column})`,
};

/** A table with the key by which it is sorted, which begins with the hour or minute. */
type Stored = { table: string; alias: string; key: readonly (readonly [column: string, type: KeyType])[] };
const TOTAL_KEY = [
  ['bucket_at', 'second'],
  ['rollup_key', 'id'],
  ['node_id', 'id'],
] as const;
const STORED: Record<Source, Stored> = {
  flows: {
    table: 'flows',
    alias: 'f',
    key: [
      ['began_at', 'second'],
      ['conversation_id', 'id'],
      ['forward', 'flag'],
      ['decision', 'text'],
      ['node_id', 'id'],
    ],
  },
  minutes: { table: 'rollup_minutes', alias: 'r', key: TOTAL_KEY },
  hours: { table: 'rollup_hours', alias: 'r', key: TOTAL_KEY },
  parts: {
    table: 'unresolved_minutes',
    alias: 'r',
    key: [
      ['bucket_at', 'second'],
      ['node_id', 'id'],
      ['rollup_key', 'id'],
      ['conversation_id', 'id'],
      ['forward', 'flag'],
    ],
  },
};

const listKey = ({ key }: Stored, alias: string) => key.map(([column]) => `${alias}.${column}`).join(', ');
const isWithin = ({ alias, key }: Stored, from: number, until: number): Part =>
  ch`${raw(`${alias}.${key[0]?.[0]}`)} >= ${second(from)} and ${raw(`${alias}.${key[0]?.[0]}`)} < ${second(until)}`;
const isAfter = (stored: Stored, after: readonly KeyValue[] | null): Part =>
  after === null
    ? raw('true')
    : ch`(${raw(listKey(stored, stored.alias))}) > (${join(
        stored.key.map(([, type], i) => LITERALS[type](after[i] ?? '')),
        ', ',
      )})`;

const selectFlows = (condition: Part): Part => {
  const shown = [
    ...PLAIN.map((name) => `t.${name} as ${name}`),
    ...Object.entries(TIMES).map(([name, column]) => `toUnixTimestamp64Milli(t.${column}) as ${name}`),
    `tuple(${STORED.flows.key.map(([column, type]) => SHOWN[type](`t.${column}`)).join(', ')}) as row_key`,
  ];
  return ch`select ${raw(shown.join(', '))}, ${addressText(raw('t.source_ip'))} as source_address,
      ${addressText(raw('t.destination_ip'))} as destination_address
    from ${flowRows({ condition }, [])} as t`;
};

function selectTotals(source: Exclude<Source, 'flows'>, condition: Part): Part {
  const { table, key } = STORED[source];
  const shown = [
    ...['node_id', 'cluster_id', ...ROLLUP_IDENTITY].map((name) => `r.${name} as ${name}`),
    ...(source === 'parts' ? ['r.conversation_id as conversation_id', 'r.forward as forward'] : []),
    ...SUMS.map((name) => `${capped(`r.${name}`)} as ${name}`),
    'toUnixTimestamp(r.bucket_at) as bucket_s',
    `tuple(${key.map(([column, type]) => SHOWN[type](`r.${column}`)).join(', ')}) as row_key`,
  ];
  return ch`select ${raw(shown.join(', '))} from ${raw(table)} as r final where r.reports <> 0 and ${condition}`;
}

const selectRows = (source: Source, condition: Part): Part =>
  source === 'flows' ? selectFlows(condition) : selectTotals(source, condition);

/** A span of time in milliseconds since 1970; `until` is not part of it. */
export type Span = { from: number; until: number };
export const toSpan = ({ day }: Pick<MoveDay, 'day'>): Span => ({
  from: Date.parse(day),
  until: Date.parse(day) + DAY_MS,
});

/**
 * Rows of a day in the order of their keys, after one of these, in pages. Hour by hour: an hour can be sorted where a day cannot.
 * @param span of the hours in which conversations began, or of totals
 */
export async function* readRows<T extends { row_key: KeyValue[] }>(
  connection: Connection,
  source: Source,
  { from, until }: Span,
  after: readonly KeyValue[] | null,
  pageRows: number,
): AsyncIterable<T[]> {
  const stored = STORED[source];
  const start = Math.max(from, after === null ? from : Number(after[0]) * 1000);
  const hours = await connection.read<{ hour_s: number }>(ch`
    select distinct toUnixTimestamp(toStartOfHour(${raw(`${stored.alias}.${stored.key[0]?.[0]}`)})) as hour_s
    from ${raw(`${stored.table} as ${stored.alias}`)} where ${isWithin(stored, start, until)} order by hour_s`);
  let page: T[] = [];
  for (const { hour_s } of hours) {
    const hour = hour_s * 1000;
    const condition = ch`${isWithin(stored, Math.max(hour, from), Math.min(hour + HOUR_MS, until))} and ${isAfter(stored, after)}`;
    const rows = ch`${selectRows(source, condition)} order by ${raw(listKey(stored, source === 'flows' ? 't' : 'r'))}`;
    for await (const part of connection.stream<T>(rows)) {
      for (const row of part) {
        page.push(row);
        if (page.length < pageRows) continue;
        yield page;
        page = [];
      }
    }
  }
  if (page.length > 0) yield page;
}

/** The flows of some conversations. */
export function readConversationFlows(
  connection: Connection,
  conversationIds: readonly string[],
): Promise<StoredFlow[]> {
  if (conversationIds.length === 0) return Promise.resolve([]);
  // Two lists of plain values: one of pairs takes ten times as long to analyze. An id contains its hour, so they mean the same.
  const hours = [...new Set(conversationIds.map(getBegunHour))].map(second);
  return connection.read<StoredFlow>(
    selectFlows(ch`f.began_at in (${join(hours, ', ')}) and ${inIds(raw('f.conversation_id'), conversationIds)}`),
  );
}

const HOUR = `formatDateTime(h, '%FT%TZ', 'UTC')`;
const SUM = (name: string) => `toString(sum(toInt128(ifNull(${name}, 0))))`;
const ROLLUP_SUMS = SUMS.map((name) => `${SUM(name)} as ${name}`).join(', ');

const selectTotalsByHour = (what: string, source: Exclude<Source, 'flows'>, condition: Part): Part => ch`
  select '${raw(what)}' as what, ${raw(HOUR)} as at, ${raw(source === 'minutes' ? 'toString(count())' : `'-'`)} as rows, ${raw(ROLLUP_SUMS)}
  from (select toStartOfHour(r.bucket_at) as h, ${raw(SUMS.map((name) => `${capped(`r.${name}`)} as ${name}`).join(', '))}
    from ${raw(STORED[source].table)} as r final where r.reports <> 0 and ${condition}) group by h`;

/** Of parts those of which the flow is there: no other one can ever get an end. */
const isOfFlow = (span: Span): Part => ch`(r.began_at, r.conversation_id, r.forward, r.decision, r.node_id) in (
  select ${raw(FLOW_KEY)} from flows as f where ${NOT_EXPIRED} and (f.began_at, f.conversation_id) in (
    select x.began_at, x.conversation_id from unresolved_minutes as x where x.bucket_at >= ${second(span.from)} and x.bucket_at < ${second(span.until)}))`;

/** What ClickHouse has of a day of flows, by the hour. */
export const readFlowTotals = (connection: Connection, span: Span): Promise<DayTotal[]> =>
  connection.read<DayTotal>(ch`
    select 'flows' as what, ${raw(HOUR)} as at, toString(count()) as rows, ${raw(`${SUM('bytes')} as bytes, ${SUM('packets')} as packets`)},
      concat(toString(toUnixTimestamp64Milli(min(first_seen_at))), '-', toString(toUnixTimestamp64Milli(max(observed_at)))) as flows
    from (select t.began_at as h, t.bytes as bytes, t.packets as packets, t.first_seen_at as first_seen_at, t.observed_at as observed_at
      from ${flowRows({ condition: isWithin(STORED.flows, span.from, span.until) }, [])} as t) group by h`);

/** The same of totals. @param minutesFrom from when on the day moves as minutes */
export const readRollupTotals = (connection: Connection, span: Span, minutesFrom: number): Promise<DayTotal[]> => {
  const recent = { from: minutesFrom, until: span.until };
  return connection.read<DayTotal>(
    join(
      [
        selectTotalsByHour('minutes', 'minutes', isWithin(STORED.minutes, recent.from, recent.until)),
        selectTotalsByHour('hours', 'hours', isWithin(STORED.hours, span.from, span.until)),
        selectTotalsByHour(
          'parts of minutes',
          'parts',
          ch`${isWithin(STORED.parts, recent.from, recent.until)} and ${isOfFlow(recent)}`,
        ),
      ],
      ' union all ',
    ),
  );
};

/**
 * From when on a day moves as minutes: those of before are hours in PostgreSQL. ClickHouse has deleted minutes of which a part of the
 * hour may be left; such hours move as hours, too.
 */
export async function findMinutesFrom(connection: Connection, span: Span, switchedAt: number): Promise<number> {
  const border = Math.min(Math.max(minuteCutoff(switchedAt), span.from), span.until);
  const within = { from: border, until: span.until };
  const read = async (source: 'minutes' | 'hours') => {
    const rows = await connection.read<DayTotal>(
      selectTotalsByHour(source, source, isWithin(STORED[source], within.from, within.until)),
    );
    return new Map(rows.map(({ at, bytes, packets, flows }) => [at, `${bytes} ${packets} ${flows}`]));
  };
  const [minutes, hours] = [await read('minutes'), await read('hours')];
  const differing = [...hours].filter(([at, sums]) => minutes.get(at) !== sums).map(([at]) => Date.parse(at) + HOUR_MS);
  return Math.max(border, ...differing);
}

type DayRows = { kind: MoveKind; day: string; rows: number };

/** The days that have rows, with how many. @param span only these */
export async function countClickhouseDays(connection: Connection, switchedAt: number, span?: Span): Promise<DayRows[]> {
  const border = second(minuteCutoff(switchedAt));
  const count = (source: Source, condition: Part) => {
    const { table, alias, key } = STORED[source];
    return ch`select '${raw(source === 'flows' ? 'flows' : 'totals')}' as kind, toString(toDate(${raw(`${alias}.${key[0]?.[0]}`)})) as day, count() as rows
      from ${raw(`${table} as ${alias}`)} final where ${condition}${span ? ch` and ${isWithin(STORED[source], span.from, span.until)}` : raw('')} group by day`;
  };
  return connection.read<DayRows>(
    ch`select kind, day, sum(rows) as rows from (${join(
      [
        count('flows', NOT_EXPIRED),
        count('minutes', ch`r.reports <> 0 and r.bucket_at >= ${border}`),
        count('hours', ch`r.reports <> 0 and r.bucket_at < ${border}`),
      ],
      ' union all ',
    )}) group by kind, day`,
  );
}

/** Lists the days that have rows, with how many. */
export async function planClickhouseDays(
  { client, connection }: { client: postgres.Sql; connection: Connection },
  { id: moveId }: Move,
  switchedAt: number,
): Promise<void> {
  const days = await countClickhouseDays(connection, switchedAt);
  await client.begin(async (tx) => {
    await tx`delete from flow_move_days where move_id = ${moveId}`;
    for (const { kind, day, rows } of days) {
      await tx`insert into flow_move_days (move_id, kind, day, rows) values (${moveId}, ${kind}, ${`${day}T00:00:00Z`}::timestamptz, ${rows})`;
    }
  });
}
