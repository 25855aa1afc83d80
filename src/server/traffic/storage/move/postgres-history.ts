import type postgres from 'postgres';
import { DAY_MS } from '@/domain/durations';
import { NONE } from '../clickhouse/statement';
import type { DayTotal } from './day-totals';
import type { Move, MoveDay, MoveKind } from './move-record';

/** ICMP messages that open a conversation. */
const OPENING_ICMP = '(8, 13, 15, 17, 128, 139)';

/** Whether an id of a conversation begins with the hour in which it began: all but some that are from before there were conversations. */
export const isDated = (id: string) => `(substr(${id}::text, 15, 1) = '8' and substr(${id}::text, 20, 1) = 'a')`;
const toHex = (ms: number) => ms.toString(16).padStart(12, '0');
const buildHex = (time: string) =>
  `lpad(to_hex((extract(epoch from date_trunc('hour', ${time}, 'UTC')) * 1000)::bigint), 12, '0')`;
/** Ids that are not dated get one that is, the same each time. */
const toDatedId = (id: string, first: string) => `case when ${isDated(id)} then ${id} else (
    substr(${buildHex(first)}, 1, 8) || '-' || substr(${buildHex(first)}, 9, 4) || '-8' || substr(md5(${id}::text), 1, 3) || '-a'
    || substr(md5(${id}::text), 4, 3) || '-' || substr(md5(${id}::text), 7, 12))::uuid end`;
/** When its conversation began, to the hour, in seconds since 1970, by its id. */
export const begunSeconds = (id: string) =>
  `(('x' || substr(replace(${id}::text, '-', ''), 1, 12))::bit(48)::bigint / 1000)`;

/** As `identifyEnds` has it: addresses are compared as text. */
export const isForward = (low: string, high: string) => `case
    when host(${low}_ip) = host(${high}_ip) then coalesce(${low}_port, -1) <= coalesce(${high}_port, -1)
    else host(${low}_ip) collate "C" < host(${high}_ip) collate "C" end`;

/** Flows whose conversation began on a day; 1970: those whose id does not contain that. */
function ofDay({ day }: Pick<MoveDay, 'day'>): string {
  const from = Date.parse(day);
  if (from === 0) return `not ${isDated('t.conversation_id')}`;
  const id = (ms: number) => `'${toHex(ms).slice(0, 8)}-${toHex(ms).slice(8)}-0000-0000-000000000000'::uuid`;
  return `t.conversation_id >= ${id(from)} and t.conversation_id < ${id(from + DAY_MS)} and ${isDated('t.conversation_id')}`;
}

/** The same of totals. */
const within = ({ day }: Pick<MoveDay, 'day'>) =>
  `bucket_at >= '${day}'::timestamptz and bucket_at < '${day}'::timestamptz + interval '1 day'`;

const TIME = `'YYYY-MM-DD HH24:MI:SS.MS'`;
const time = (column: string) => `to_char(${column} at time zone 'UTC', ${TIME})`;
const id = (column: string) => `coalesce(${column}, '${NONE}')`;

/** A flow as a row of ClickHouse. Later than it changed is right, earlier is not: what settles before is not read again. */
const FLOW: Readonly<Record<string, string>> = {
  began_at: begunSeconds('t.id'),
  conversation_id: 't.id',
  forward: isForward('t.source', 't.destination'),
  ...Object.fromEntries(['decision', 'node_id', 'cluster_id', 'protocol'].map((name) => [name, `t.${name}`])),
  source_ip: 'host(t.source_ip)',
  destination_ip: 'host(t.destination_ip)',
  ...Object.fromEntries(['source_port', 'destination_port', 'bytes', 'packets'].map((name) => [name, `t.${name}`])),
  ...Object.fromEntries(
    ['first_seen_at', 'observed_at', 'created_at', 'updated_at'].map((name) => [name, time(`t.${name}`)]),
  ),
  changed_at: time(`(coalesce(c.updated_at, t.updated_at) + interval '999 microseconds')`),
  source_workload_id: id('t.source_workload_id'),
  destination_workload_id: id('t.destination_workload_id'),
  source_cidr: `coalesce(t.source_cidr::text, '')`,
  destination_cidr: `coalesce(t.destination_cidr::text, '')`,
  opening_icmp: `case when t.icmp_type in ${OPENING_ICMP} then t.icmp_type * 256 + coalesce(t.icmp_code, 0) end`,
  newest: `json_build_array(${time('t.observed_at')}, t.interface, t.vmid, t.nic, t.vlan, ${id('t.workload_id')}, t.state, t.collector,
    t.initiator, t.icmp_type, t.icmp_code, t.raw::text)`,
  is_final: 'coalesce(c.is_final, false)',
};

const toJson = (columns: Readonly<Record<string, string>>) =>
  `json_build_object(${Object.entries(columns)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})::text`;

const selectFlows = (day: MoveDay) => `
  select ${toJson(FLOW)} as row from (
    select t.*, ${toDatedId('t.conversation_id', 't.first_seen_at')} as id from traffic_flows as t where ${ofDay(day)}) as t
  left join traffic_conversations as c on c.id = t.conversation_id
  order by t.conversation_id, t.node_id, t.flow_key`;

const IDENTITY = [
  ...['source_workload_id', 'destination_workload_id', 'source_prefix', 'destination_prefix', 'source_internal'],
  ...['destination_internal', 'protocol', 'service_port', 'reply', 'decision'],
];
export const SUMS = ['bytes', 'packets', 'flows'];
const list = (alias: string, names: readonly string[]) => names.map((name) => `${alias}.${name}`).join(', ');

/** What of minutes came from flows that are stored, of which an end may turn out to be a workload. */
const selectParts = (day: MoveDay) => `
  select u.node_id, u.bucket_at, u.rollup_key, ${toDatedId('t.conversation_id', 't.first_seen_at')} as conversation_id,
    ${isForward('t.source', 't.destination')} as forward, ${list('u', SUMS)}
  from (select * from flow_unresolved_minutes where ${within(day)} offset 0) as u
  join traffic_flows as t on t.node_id = u.node_id and t.flow_key = u.flow_key`;

const TOTAL: Readonly<Record<string, string>> = {
  bucket_at: 'extract(epoch from r.bucket_at)::bigint',
  ...Object.fromEntries(['node_id', 'cluster_id', 'conversation_id', 'forward'].map((name) => [name, `r.${name}`])),
  began_at: `case when r.is_resolvable then ${begunSeconds('r.conversation_id')} else extract(epoch from r.bucket_at)::bigint end`,
  is_resolvable: 'r.is_resolvable',
  is_minute: 'r.is_minute',
  ...Object.fromEntries(IDENTITY.map((name) => [name, name.endsWith('_workload_id') ? id(`r.${name}`) : `r.${name}`])),
  ...Object.fromEntries([...SUMS, 'reports'].map((name) => [name, `r.${name}`])),
};

/**
 * Minutes, each as the parts that it has of flows with unknown ends and the rest, and hours. `reports` only has to be zero when nothing is
 * left in a minute: each part is one, and so is the rest where there is any.
 */
const selectTotals = (day: MoveDay) => `
  with m as materialized (select * from flow_rollup_minutes where ${within(day)}),
  p as materialized (
    select node_id, bucket_at, rollup_key, conversation_id, forward, ${SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(', ')},
      count(*)::bigint as reports
    from (${selectParts(day)}) as p group by 1, 2, 3, 4, 5),
  s as materialized (
    select node_id, bucket_at, rollup_key, ${SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(', ')} from p group by 1, 2, 3)
  select ${toJson(TOTAL)} as row from (
    select m.node_id, m.cluster_id, m.bucket_at, m.rollup_key, ${list('m', IDENTITY)}, p.conversation_id, p.forward, true as is_resolvable,
      true as is_minute, ${list('p', [...SUMS, 'reports'])}
    from m join p using (node_id, bucket_at, rollup_key)
    union all
    select m.node_id, m.cluster_id, m.bucket_at, m.rollup_key, ${list('m', IDENTITY)}, '${NONE}'::uuid, true, false, true,
      ${SUMS.map((name) => `m.${name} - coalesce(s.${name}, 0)`).join(', ')}, 1
    from m left join s using (node_id, bucket_at, rollup_key)
    where s.node_id is null or (${list('m', SUMS)}) is distinct from (${list('s', SUMS)})
    union all
    select h.node_id, h.cluster_id, h.bucket_at, h.rollup_key, ${list('h', IDENTITY)}, '${NONE}'::uuid, true, false, false,
      ${list('h', SUMS)}, 1
    from flow_rollup_hours as h where ${within(day)}) as r
  order by r.bucket_at, r.node_id, r.rollup_key, r.is_minute, r.is_resolvable, r.conversation_id, r.forward`;

const SELECT: Record<MoveKind, (day: MoveDay) => string> = { flows: selectFlows, totals: selectTotals };

/** The rows of a day in pages, each a text of one object a line: always the same pages, as nothing changes there any more. */
export async function* readPages(
  client: postgres.Sql,
  day: MoveDay,
  pageRows: number,
): AsyncIterable<{ rows: number; page: Buffer }> {
  for await (const rows of client.unsafe<{ row: string }[]>(SELECT[day.kind](day)).cursor(pageRows)) {
    yield { rows: rows.length, page: Buffer.from(rows.map(({ row }) => `${row}\n`).join('')) };
  }
}

export const HOUR = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
export const sumText = (name: string) => `coalesce(sum(${name}), 0)::text as ${name}`;
export const BUCKET_HOUR = `date_trunc('hour', bucket_at, 'UTC')`;
export const MS = (of: string) => `(extract(epoch from date_trunc('milliseconds', ${of})) * 1000)::bigint`;

const TOTALS: Record<MoveKind, (day: MoveDay) => string> = {
  flows: (day) => `
    select 'flows' as what, ${HOUR('to_timestamp(h)')} as at, count(distinct (id, forward, decision, node_id))::text as rows,
      ${sumText('bytes')}, ${sumText('packets')}, ${MS('min(first_seen_at)')} || '-' || ${MS('max(observed_at)')} as flows
    from (select t.*, ${begunSeconds('t.id')} as h, ${isForward('t.source', 't.destination')} as forward
      from (select t.*, ${toDatedId('t.conversation_id', 't.first_seen_at')} as id from traffic_flows as t where ${ofDay(day)}) as t) as t
    group by h`,
  totals: (day) => `
    select 'minutes' as what, ${HOUR(BUCKET_HOUR)} as at, count(*)::text as rows, ${SUMS.map(sumText).join(', ')}
    from flow_rollup_minutes where ${within(day)} group by ${BUCKET_HOUR}
    union all
    select 'hours', ${HOUR(BUCKET_HOUR)}, '-', ${SUMS.map(sumText).join(', ')}
    from (select bucket_at, ${SUMS.join(', ')} from flow_rollup_minutes where ${within(day)}
      union all select bucket_at, ${SUMS.join(', ')} from flow_rollup_hours where ${within(day)}) as both_of group by ${BUCKET_HOUR}
    union all
    select 'parts of minutes', ${HOUR(BUCKET_HOUR)}, '-', ${SUMS.map(sumText).join(', ')}
    from (${selectParts(day)}) as p group by ${BUCKET_HOUR}`,
};

/** What PostgreSQL has of a day, by the hour. */
export const readStoredTotals = (client: postgres.Sql, day: MoveDay): Promise<DayTotal[]> =>
  client.unsafe<DayTotal[]>(TOTALS[day.kind](day));

const COUNTS: Record<MoveKind, (day: MoveDay) => string> = {
  flows: (day) => `select count(*)::float8 as rows from traffic_flows as t where ${ofDay(day)}`,
  totals: (day) => `select ((select count(*) from flow_rollup_minutes where ${within(day)})
    + (select count(*) from flow_rollup_hours where ${within(day)}))::float8 as rows`,
};

/** How many rows of a day there are. */
export async function countRows(client: postgres.Sql, day: MoveDay): Promise<number> {
  const [counted] = await client.unsafe<{ rows: number }[]>(COUNTS[day.kind](day));
  return counted?.rows ?? 0;
}

/** Lists the days that have rows, with how many. */
export async function planDays(client: postgres.Sql, { id: moveId }: Move): Promise<void> {
  await client`delete from flow_move_days where move_id = ${moveId}`;
  await client`
    insert into flow_move_days (move_id, kind, day, rows)
    select ${moveId}::bigint, 'totals', day, sum(rows)::bigint from (
      select date_trunc('day', bucket_at, 'UTC') as day, count(*) as rows from flow_rollup_minutes group by 1
      union all select date_trunc('day', bucket_at, 'UTC'), count(*) from flow_rollup_hours group by 1) as t group by day
    union all
    select ${moveId}::bigint, 'flows', day, count(*) from (
      select case when ${client.unsafe(isDated('t.conversation_id'))} then date_trunc('day', to_timestamp(${client.unsafe(begunSeconds('t.conversation_id'))}), 'UTC')
        else to_timestamp(0) end as day from traffic_flows as t) as t group by day`;
}
