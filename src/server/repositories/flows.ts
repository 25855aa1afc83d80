import { sql } from 'drizzle-orm';
import type { Executor, Tx } from '../db/client';
import { trafficFlows } from '../db/schema/telemetry';
import type { FlowRecord } from './flow-record';
import { pgArray } from './pg-array';
import { rowsOfArrays } from './rows-of-arrays';

/** Columns of a flow in the order in which they are sent, with the types of their arrays. */
const COLUMNS = {
  flow_key: 'uuid',
  source_ip: 'inet',
  destination_ip: 'inet',
  protocol: 'text',
  source_port: 'int',
  destination_port: 'int',
  decision: 'text',
  state: 'text',
  bytes: 'bigint',
  packets: 'bigint',
  first_seen_at: 'timestamptz',
  observed_at: 'timestamptz',
  collector: 'text',
  initiator: 'text',
  icmp_type: 'smallint',
  icmp_code: 'smallint',
  interface: 'text',
  vmid: 'int',
  nic: 'smallint',
  vlan: 'smallint',
  workload_id: 'uuid',
  source_workload_id: 'uuid',
  destination_workload_id: 'uuid',
  source_cidr: 'cidr',
  destination_cidr: 'cidr',
  raw: 'jsonb',
} as const satisfies Record<keyof FlowRecord, string>;
const NAMES = Object.keys(COLUMNS) as (keyof FlowRecord)[];
const LIST = sql.raw(NAMES.join(', '));

/** What an update replaces; identity stays. Counters that were not counted this time keep what is known. */
const REPLACED = sql.raw(
  [
    ...['state', 'observed_at', 'collector', 'initiator', 'icmp_type', 'icmp_code', 'interface', 'vmid', 'nic', 'vlan'],
    ...['workload_id', 'source_workload_id', 'destination_workload_id', 'source_cidr', 'destination_cidr', 'raw'],
  ]
    .map((name) => `${name} = excluded.${name}`)
    .join(', '),
);

/**
 * Stores the flows of one node, each identity once, in one statement: new ones are inserted, known ones replaced unless
 * what is stored was observed later. The rows must be sorted by key: otherwise two writers could wait for each other.
 * @returns the keys of the flows that were new
 */
export async function upsertFlows(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  rows: readonly FlowRecord[],
  now: string,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const result = await tx.execute<{ keys: string | null }>(sql`
    with stored as (
      insert into ${trafficFlows} as t (node_id, cluster_id, created_at, updated_at, ${LIST})
      select ${node.node_id}::uuid, ${node.cluster_id}::uuid, ${now}::timestamptz, ${now}::timestamptz, f.*
      from ${rowsOfArrays(COLUMNS, 'flow_key', rows)} as f
      on conflict (node_id, flow_key) do update set ${REPLACED}, updated_at = excluded.updated_at,
        bytes = coalesce(excluded.bytes, t.bytes), packets = coalesce(excluded.packets, t.packets),
        first_seen_at = case when excluded.first_seen_at = excluded.observed_at
          then least(t.first_seen_at, excluded.first_seen_at) else excluded.first_seen_at end
      where excluded.observed_at >= t.observed_at
      returning flow_key, xmax = 0 as inserted)
    select string_agg(flow_key::text, ',') as keys from stored where inserted`);
  const keys = result[0]?.keys;
  return new Set(keys ? keys.split(',') : []);
}

export type FlowTotals = { flow_key: string; bytes: number | null; packets: number | null; observed_at: string };

/** Stored totals of some flows of a node; those that are not stored are missing. */
export async function findFlowTotals(
  executor: Executor,
  nodeId: string,
  keys: readonly string[],
): Promise<Map<string, FlowTotals>> {
  if (keys.length === 0) return new Map();
  const rows = await executor
    .select({
      flow_key: trafficFlows.flow_key,
      bytes: trafficFlows.bytes,
      packets: trafficFlows.packets,
      observed_at: trafficFlows.observed_at,
    })
    .from(trafficFlows)
    .where(sql`${trafficFlows.node_id} = ${nodeId} and ${trafficFlows.flow_key} = any(${pgArray('uuid', keys)})`);
  return new Map(rows.map((row) => [row.flow_key, row]));
}
