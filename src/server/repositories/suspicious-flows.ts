import { type SQL, sql } from 'drizzle-orm';
import { db } from '../db/client';
import { SENSITIVE_PORT } from '../db/schema/telemetry';
import { type FlowSelection, flowConditions } from './flow-conditions';
import { ifVisible } from './flow-reach';
import { pgArray } from './pg-array';

/** Conversations of one source with one port of one guest that the agents told the same verdict of. */
export type SuspiciousRow = {
  cluster_id: string;
  cluster_name: string | null;
  source_ip: string;
  destination_ip: string;
  destination_workload_id: string | null;
  destination_workload_name: string | null;
  port: number;
  protocol: string;
  decision: 'accept' | 'drop' | 'reject' | 'observed';
  /** What all of them have in common; null where they differ. */
  source_port: number | null;
  nic: number | null;
  flows: number;
  bytes: number | null;
  packets: number | null;
  first_seen_at: string;
  last_seen_at: string;
};

const at = (expression: string) =>
  sql.raw(`to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** States of connection tracking that only a connection reaches that was answered. */
const ANSWERED = `t.state in ('ESTABLISHED', 'FIN_WAIT', 'CLOSE_WAIT', 'LAST_ACK', 'TIME_WAIT', 'REPLIED')`;

/**
 * What became of a conversation that several rows tell of: packets that were let through make it an accepted one, an
 * answered connection was not denied as a whole, else the log's verdict says more than having seen it.
 */
const VERDICT: SQL = sql.raw(`case
  when bool_or(t.decision = 'accept') then 'accept'
  when bool_or(t.decision = 'observed' and ${ANSWERED}) then 'observed'
  when bool_or(t.decision = 'reject') then 'reject'
  when bool_or(t.decision = 'drop') then 'drop'
  else 'observed' end`);

/** A port that opens connections to a sensitive service; RDP also speaks UDP. Answers of such a service are none. */
const CONDITION: SQL = sql`${SENSITIVE_PORT} and t.initiator is distinct from 'destination'
  and (t.protocol = 'tcp' or t.protocol = 'udp' and t.destination_port = 3389)`;

/**
 * Flows to sensitive ports whose source was in no subnet when they were stored, or in one of `gone`. A conversation that
 * several nodes saw counts once, with the largest counters. One query.
 */
export async function sumSuspiciousFlows(selection: FlowSelection, gone: readonly string[]): Promise<SuspiciousRow[]> {
  const { visible } = selection;
  const source =
    gone.length === 0
      ? sql`t.source_cidr is null`
      : sql`(t.source_cidr is null or t.source_cidr = any (${pgArray(gone)}::text::cidr[]))`;
  const rows = await db.execute<SuspiciousRow>(sql`
    with conversations as (
      select t.cluster_id, t.source_ip, t.destination_ip, t.source_port, t.destination_port, t.protocol,
        max(t.destination_workload_id::text) as destination_workload_id, ${VERDICT} as decision,
        min(t.nic) filter (where t.workload_id = t.destination_workload_id) as first_nic,
        max(t.nic) filter (where t.workload_id = t.destination_workload_id) as last_nic,
        max(t.bytes) as bytes, max(t.packets) as packets, min(t.first_seen_at) as first_seen_at,
        max(t.observed_at) as last_seen_at
      from traffic_flows as t
      where ${flowConditions(selection)} and ${CONDITION} and ${source}
        and not (t.source_workload_id is not null and t.destination_workload_id is null and t.destination_cidr is null)
      group by t.cluster_id, t.source_ip, t.destination_ip, t.source_port, t.destination_port, t.protocol),
    summed as (
      select cluster_id, source_ip, destination_ip, destination_workload_id::uuid, destination_port, protocol, decision,
        case when min(source_port) = max(source_port) then min(source_port) end as source_port,
        case when min(first_nic) = max(last_nic) then min(first_nic) end as nic,
        count(*)::float8 as flows, sum(bytes)::float8 as bytes, sum(packets)::float8 as packets,
        min(first_seen_at) as first_seen_at, max(last_seen_at) as last_seen_at
      from conversations group by cluster_id, source_ip, destination_ip, 4, destination_port, protocol, decision)
    select t.cluster_id, clusters.name as cluster_name, host(t.source_ip) as source_ip,
      host(t.destination_ip) as destination_ip, w.id as destination_workload_id, w.name as destination_workload_name,
      t.destination_port as port, t.protocol, t.decision, t.source_port, case when w.id is not null then t.nic end as nic,
      t.flows, t.bytes, t.packets, ${at('t.first_seen_at')} as first_seen_at, ${at('t.last_seen_at')} as last_seen_at
    from summed as t
    left join clusters on clusters.id = t.cluster_id
    left join workloads as w on w.id = ${ifVisible(sql.raw('t.destination_workload_id'), visible)}`);
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
