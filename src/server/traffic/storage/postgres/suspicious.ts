import { type SQL, sql } from 'drizzle-orm';
import { ANSWERED_STATES } from '@/domain/flow-verdict';
import { db } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { SENSITIVE_PORT } from '../../../db/schema/flows';
import { clock } from '../../../lib/clock';
import type { FlowSelection } from '../flow-selection';
import { ANSWERED, type SuspiciousRow } from '../suspicious-row';
import { flowRows } from './visible-rows';

/**
 * Whole milliseconds of a time. `date_part` counts in floating point, which is several times cheaper than `extract`; half a
 * microsecond more than makes up for what it rounds off.
 */
const milliseconds = (expression: string) => sql.raw(`floor(date_part('epoch', ${expression}) * 1000 + 0.0005)`);

const IS_ANSWERED = `t.state in (${ANSWERED_STATES.map((state) => `'${state}'`).join(', ')})`;

/**
 * The outcome of a conversation that several rows report: packets that were let through make it accepted, an answered
 * connection was not denied as a whole, otherwise the log's verdict outranks a mere observation. The first of these
 * that any row reports.
 */
const VERDICT: SQL = sql.raw(`(array['accept', '${ANSWERED}', 'reject', 'drop', 'observed'])[min(case t.decision
  when 'accept' then 1
  when 'reject' then 3
  when 'drop' then 4
  else case when ${IS_ANSWERED} then 2 else 5 end end)]`);

/** A port that opens connections to a sensitive service; RDP also speaks UDP. Answers of such a service are none. */
const CONDITION: SQL = sql`${SENSITIVE_PORT} and t.initiator is distinct from 'destination'
  and (t.protocol = 'tcp' or t.protocol = 'udp' and t.destination_port = 3389)`;

/** What is looked at of a flow. */
const COLUMNS = sql.raw(
  [
    ...[
      'cluster_id',
      'source_ip',
      'destination_ip',
      'source_port',
      'destination_port',
      'protocol',
      'decision',
      'state',
    ],
    ...['workload_id', 'source_workload_id', 'destination_workload_id', 'destination_cidr', 'nic', 'bytes', 'packets'],
    ...['first_seen_at', 'observed_at'],
  ]
    .map((name) => `t.${name}`)
    .join(', '),
);

/** The condition of `flowConditions` for who may see a flow, for few flows and many workloads: a lookup for each. */
const SEEN: SQL = sql.raw(`(t.source_workload_id in (select id from visible)
  or t.destination_workload_id in (select id from visible)
  or (t.workload_id in (select id from visible) and t.source_workload_id is null and t.destination_workload_id is null))`);

/**
 * Flows to sensitive ports of the selection's time and reach whose source was in no subnet when they were stored, or
 * in one of `gone`. A conversation that several nodes saw counts once, with the largest counters. One query: the flows
 * are found by the index of sensitive ones before any other condition is checked. Workloads that are not visible are
 * null.
 */
export async function sumSuspiciousFlows(
  { visible, periods, cutoff, since, until }: Pick<FlowSelection, 'visible' | 'periods' | 'cutoff' | 'since' | 'until'>,
  gone: readonly string[],
): Promise<SuspiciousRow[]> {
  // The index of times knows ranges of pages only. Over most of what is kept it saves nothing, and its pages would be read row
  // by row instead of the few rows that the index of sensitive ones has found.
  const now = clock.now().getTime();
  const kept = now - Date.parse(cutoff);
  const observed = sql.raw(now - Date.parse(since) > kept / 4 ? `(t.observed_at + interval '0')` : 't.observed_at');
  const time = sql`${observed} >= greatest(${cutoff}::timestamptz, ${since}::timestamptz)
    and t.first_seen_at < coalesce(${until}::timestamptz, 'infinity')`;
  // Two searches of the index: with a condition that names both it would be read as a whole.
  const selectSourceFlows = (source: SQL) =>
    sql`select ${COLUMNS} from ${flowRows(periods)} as t where ${CONDITION} and ${source} and ${time}`;
  const found = [
    selectSourceFlows(sql`t.source_cidr is null`),
    ...(gone.length === 0 ? [] : [selectSourceFlows(sql`t.source_cidr = any (${pgArray('cidr', gone)})`)]),
  ];
  const all = visible === 'all';
  const destination = sql.raw(
    all
      ? 'destination_workload_id'
      : 'case when destination_workload_id::uuid in (select id from visible) then destination_workload_id end',
  );
  const rows = await db.execute<SuspiciousRow>(sql`
    with visible as materialized (select unnest(${pgArray('uuid', all ? [] : visible)}) as id),
    found as ${sql.raw(all ? 'not materialized' : 'materialized')} (${sql.join(found, sql` union all `)}),
    conversations as (
      select t.cluster_id, t.source_ip, t.destination_ip, t.source_port, t.destination_port, t.protocol,
        max(t.destination_workload_id::text) as destination_workload_id, ${VERDICT} as decision,
        min(t.nic) filter (where t.workload_id = t.destination_workload_id) as first_nic,
        max(t.nic) filter (where t.workload_id = t.destination_workload_id) as last_nic,
        max(t.bytes) as bytes, max(t.packets) as packets, min(t.first_seen_at) as first_seen_at,
        max(t.observed_at) as last_seen_at
      from found as t
      where ${all ? sql`true` : SEEN}
        and not (t.source_workload_id is not null and t.destination_workload_id is null and t.destination_cidr is null)
      group by t.cluster_id, t.source_ip, t.destination_ip, t.source_port, t.destination_port, t.protocol)
    select concat_ws('|', cluster_id, host(source_ip), host(destination_ip), coalesce(${destination}, ''), destination_port,
        protocol, decision, case when min(source_port) = max(source_port) then min(source_port)::text else '' end,
        case when min(first_nic) = max(last_nic) then min(first_nic)::text else '' end) as ends,
      concat_ws('|', count(*), coalesce(sum(bytes)::text, ''), coalesce(sum(packets)::text, ''),
        ${milliseconds('min(first_seen_at)')}, ${milliseconds('max(last_seen_at)')}) as sums
    from conversations as t
    group by t.cluster_id, t.source_ip, t.destination_ip, t.destination_workload_id, t.destination_port, t.protocol, t.decision`);
  return [...rows];
}

/** Subnets in which sources of flows to sensitive ports were when they were stored. One query, a step in the index for each. */
export async function findSensitiveSources(): Promise<string[]> {
  const next = (after: SQL) => sql`(select t.source_cidr from traffic_flows as t
    where ${SENSITIVE_PORT} and t.source_cidr is not null ${after} order by t.source_cidr limit 1)`;
  const rows = await db.execute<{ cidr: string }>(sql`
    with recursive found as (
      select ${next(sql``)} as source_cidr
      union all
      select ${next(sql.raw('and t.source_cidr > found.source_cidr'))} from found where found.source_cidr is not null)
    select source_cidr::text as cidr from found where source_cidr is not null`);
  return rows.map(({ cidr }) => cidr);
}
