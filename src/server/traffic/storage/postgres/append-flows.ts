import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { FlowRecord } from '@/domain/flow/flow-record';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { flowUnresolvedMinutes, trafficFlows } from '../../../db/schema/flows';
import { unnestRows } from '../../../db/unnest-rows';
import { addCounters, isUndecided, type ReportedFlow } from '../add-counters';
import { type Assignment, toSeenFlow } from '../assign-reports';
import type { FlowNode, ValidFlow } from '../flow-rows';
import type { FlowStore } from '../flow-store';
import { assignConversations } from './assign-conversations';
import { addToMinutes, rollUp } from './minutes';
import { endConversations, storeConversations } from './store-conversations';
import { addUnresolvedParts } from './unresolved-minutes';

type AssignedRecord = FlowRecord & { conversation_id: string };
type AssignedFlow = ValidFlow & { record: AssignedRecord; previous_key: string | null };

/** Columns of a flow in the order in which they are sent, with the types of their arrays. */
export const FLOW_COLUMNS = {
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
  reported_bytes: 'bigint',
  reported_packets: 'bigint',
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
  conversation_id: 'uuid',
} as const satisfies Record<keyof AssignedRecord, string>;

const NAMES = Object.keys(FLOW_COLUMNS) as (keyof AssignedRecord)[];

const LIST = sql.raw(NAMES.join(', '));

/** Whether a report is the newest of its flow. Reports that were delayed add to the totals and change nothing else. */
const NEWEST = 'excluded.observed_at >= t.observed_at';

const ifNewest = (value: string, otherwise: string) => `case when ${NEWEST} then ${value} else ${otherwise} end`;

/** ICMP messages that open a conversation. Errors and answers between the same ends are part of it and do not rename it. */
const OPENING_ICMP = '(8, 13, 15, 17, 128, 139)';

const icmp = (name: string) =>
  `${name} = case when t.icmp_type in ${OPENING_ICMP} then t.${name} else ${ifNewest(`excluded.${name}`, `t.${name}`)} end`;

/** A counter that was not counted this time keeps what is known. Totals stay numbers that JavaScript can hold. */
const added = (name: string) =>
  `${name} = case when excluded.${name} is null then t.${name}
    else least(coalesce(t.${name}, 0) + excluded.${name}, ${Number.MAX_SAFE_INTEGER}) end`;

/** An end that was resolved never changes; one that was unknown is filled in, but never with the workload of the other end. */
const formatEndUpdates = (end: 'source' | 'destination', other: 'source' | 'destination') => [
  `${end}_workload_id = coalesce(t.${end}_workload_id, nullif(excluded.${end}_workload_id, t.${other}_workload_id))`,
  `${end}_cidr = coalesce(t.${end}_cidr, excluded.${end}_cidr)`,
];

const UPDATES = sql.raw(
  [
    ...['state', 'observed_at', 'collector', 'initiator', 'interface', 'vmid', 'nic', 'vlan', 'workload_id', 'raw'].map(
      (name) => `${name} = ${ifNewest(`excluded.${name}`, `t.${name}`)}`,
    ),
    ...['icmp_type', 'icmp_code'].map(icmp),
    ...formatEndUpdates('source', 'destination'),
    ...formatEndUpdates('destination', 'source'),
    ...['bytes', 'packets'].map(added),
    ...['reported_bytes', 'reported_packets'].map(
      (name) => `${name} = ${ifNewest(`coalesce(excluded.${name}, t.${name})`, `t.${name}`)}`,
    ),
    'first_seen_at = least(t.first_seen_at, excluded.first_seen_at)',
    'conversation_id = excluded.conversation_id',
    'updated_at = excluded.updated_at',
  ].join(', '),
);

/**
 * Stores the flows of one node, each identity once, in one statement: new ones are inserted, what is new is added to known
 * ones. The rows must be sorted by key: otherwise two writers could wait for each other.
 * @returns the keys of the flows that were new
 */
async function upsertFlows(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  rows: readonly AssignedRecord[],
  now: string,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const result = await tx.execute<{ keys: string | null }>(sql`
    with stored as (
      insert into ${trafficFlows} as t (node_id, cluster_id, created_at, updated_at, ${LIST})
      select ${node.node_id}::uuid, ${node.cluster_id}::uuid, ${now}::timestamptz, ${now}::timestamptz, f.*
      from ${unnestRows(FLOW_COLUMNS, 'flow_key', rows)} as f
      on conflict (node_id, flow_key) do update set ${UPDATES}
      where ${sql.raw(NEWEST)} or excluded.bytes > 0 or excluded.packets > 0
      returning flow_key, xmax = 0 as inserted)
    select string_agg(flow_key::text, ',') as keys from stored where inserted`);
  const keys = result[0]?.keys;
  return new Set(keys ? keys.split(',') : []);
}

/**
 * The newest reports of some flows of a node; those that are not stored are missing. Each key is looked up by itself: joined
 * to the whole list, a small table would be read as a whole, and the list compared with each of its rows.
 */
export async function findReportedFlows(
  executor: Executor,
  nodeId: string,
  keys: readonly string[],
): Promise<Map<string, ReportedFlow>> {
  if (keys.length === 0) return new Map();
  const rows = await executor.execute<ReportedFlow>(sql`
    select t.flow_key, t.bytes, t.packets, t.observed_at
    from (select unnest(${pgArray('uuid', keys)}) as flow_key offset 0) as k
    cross join lateral (
      select f.flow_key, coalesce(f.reported_bytes, f.bytes)::float8 as bytes,
        coalesce(f.reported_packets, f.packets)::float8 as packets, f.observed_at
      from ${trafficFlows} as f where f.node_id = ${nodeId}::uuid and f.flow_key = k.flow_key limit 1) as t`);
  return new Map(rows.map((row) => [row.flow_key, { ...row, observed_at: new Date(row.observed_at).toISOString() }]));
}

/**
 * Ends the stored flows of workloads that move: later reports become a separate flow with only the new traffic, so
 * that each owner sees its part of a connection that continues.
 */
export async function endWorkloadFlows(tx: Tx, workloadIds: readonly string[]): Promise<void> {
  if (workloadIds.length === 0) return;
  const ids = pgArray('uuid', workloadIds);
  // From the former key and this move, so that what several nodes report of a flow keeps one key.
  const newKey = sql`md5(held.flow_key::text || ${randomUUID()}::text)::uuid`;
  const moved = await tx.execute<{ ids: string | null }>(sql`
    with mine as materialized (
      select node_id, flow_key from ${trafficFlows} where source_workload_id = any (${ids})
      union select node_id, flow_key from ${trafficFlows} where destination_workload_id = any (${ids})
      union select node_id, flow_key from ${trafficFlows} where workload_id = any (${ids})
        and source_workload_id is null and destination_workload_id is null),
    held as materialized (
      select f.node_id, f.flow_key, f.first_seen_at, f.observed_at from ${trafficFlows} as f join mine using (node_id, flow_key)
      order by f.node_id, f.flow_key for update of f),
    ended as (
      update ${trafficFlows} as f set flow_key = ${newKey} from held
      where f.node_id = held.node_id and f.flow_key = held.flow_key returning f.conversation_id),
    parts as (
      update ${flowUnresolvedMinutes} as d set flow_key = ${newKey} from held
      where d.node_id = held.node_id and d.flow_key = held.flow_key
        and d.bucket_at between date_trunc('minute', held.first_seen_at) and held.observed_at)
    select string_agg(distinct conversation_id::text, ',') as ids from ended`);
  await endConversations(tx, moved[0]?.ids?.split(',') ?? []);
}

/** The flows with their conversations, sorted by the keys that they have in these. */
async function assign(tx: Tx, node: FlowNode, flows: readonly ValidFlow[]) {
  const seen = flows.map((flow) => toSeenFlow(flow, node));
  const { assignments, touched } = await assignConversations(tx, seen);
  const assigned = flows.map((flow, i): AssignedFlow => {
    const { previous_key, ...assignment } = assignments[i] as Assignment;
    return { ...flow, record: { ...flow.record, ...assignment }, previous_key };
  });
  assigned.sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
  return { assigned, touched };
}

/** The newest reports of flows of which only that says what is new: in their conversation, else in the one before. */
async function findCounted(tx: Tx, nodeId: string, flows: readonly AssignedFlow[]) {
  const keys = flows.flatMap(({ record, previous_key }) => [record.flow_key, ...(previous_key ? [previous_key] : [])]);
  const stored = await findReportedFlows(tx, nodeId, keys);
  for (const { record, previous_key } of flows) {
    const before = previous_key === null ? undefined : stored.get(previous_key);
    if (before && !stored.has(record.flow_key)) stored.set(record.flow_key, before);
  }
  return stored;
}

/** Flows, then what they add to the minutes, then their conversations. */
export const append: FlowStore['append'] = async (tx, node, flows, now) => {
  const { assigned, touched } = await assign(tx, node, flows);
  addCounters(assigned, await findCounted(tx, node.node_id, assigned.filter(isUndecided)));
  const inserted = await upsertFlows(
    tx,
    node,
    assigned.map((flow) => flow.record),
    now,
  );
  const { sums, parts } = rollUp(assigned, inserted);
  await addToMinutes(tx, node, sums);
  await addUnresolvedParts(tx, node.node_id, parts);
  await storeConversations(tx, touched);
  return inserted.size;
};
