import { sql } from 'drizzle-orm';
import type { FlowRecord } from '@/domain/flow/flow-record';
import { db, type Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { flowUnresolvedMinutes, trafficConversations, trafficFlows } from '../../../db/schema/flows';
import { unnestRows } from '../../../db/unnest-rows';
import { stableKey } from '../../../lib/ids';
import type { SeenFlow } from '../assign-reports';
import { type DueConversation, findParts } from '../find-parts';
import type { FlowUpkeep } from '../flow-store';
import { assignConversations, toFlowKey } from './assign-conversations';
import { lockNode } from './hours-to-sum';
import { type ConversationIdentity, resumConversations, storeConversations } from './store-conversations';

/** Flows and keys of one transaction. */
const CHUNK_FLOWS = 2_000;
const CHUNK_KEYS = 500;
/** What one run works at most before it leaves the rest to the next one. */
const BUDGET_MS = 5_000;

const TIMES = ['first_seen_at', 'observed_at'].map(
  (name) => `to_char(t.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`,
);

type HashedEnds = Pick<FlowRecord, 'source_ip' | 'destination_ip' | 'protocol' | 'source_port' | 'destination_port'> & {
  decision: string;
};

/** The key of a flow in the first conversation of its ends. */
const hashEnds = (flow: HashedEnds): string =>
  stableKey([
    ...[flow.source_ip, flow.destination_ip, flow.protocol],
    ...[flow.source_port, flow.destination_port, flow.decision],
  ]);

/** A flow that was ended when its workload moved is a conversation of its own: its key is no hash of its ends any more. */
const isEnded = (flow: HashedEnds & { flow_key: string }) => flow.flow_key !== hashEnds(flow);

/** Assigns flows of one node that were stored before there were conversations. @returns how many */
async function assignStored(tx: Tx, nodeId: string): Promise<number> {
  await lockNode(tx, nodeId);
  const flows = await tx.execute<SeenFlow & { decision: string }>(sql`
    select t.node_id, t.cluster_id, t.flow_key, host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip, t.protocol,
      t.source_port, t.destination_port, t.decision, t.workload_id, t.source_workload_id, t.destination_workload_id,
      ${sql.raw(TIMES.join(', '))}, true as has_begin
    from ${trafficFlows} as t where t.node_id = ${nodeId}::uuid and t.conversation_id is null limit ${CHUNK_FLOWS}`);
  const open = flows.filter((flow) => !isEnded(flow));
  const { assignments, touched } = await assignConversations(tx, open);
  const rows = open.map(({ flow_key }, i) => ({
    flow_key,
    conversation_id: assignments[i]?.conversation_id ?? flow_key,
  }));
  const ended = flows.filter(isEnded).map(({ flow_key }): ConversationIdentity => {
    return { id: flow_key, conversation_key: flow_key, ordinal: 0, revision: 0 };
  });
  await tx.execute(sql`
    update ${trafficFlows} as t set conversation_id = r.conversation_id
    from ${unnestRows({ flow_key: 'uuid', conversation_id: 'uuid' }, 'flow_key', [
      ...rows,
      ...ended.map(({ id }) => ({ flow_key: id, conversation_id: id })),
    ])} as r
    where t.node_id = ${nodeId}::uuid and t.flow_key = r.flow_key`);
  await storeConversations(tx, [...touched, ...ended]);
  return flows.length;
}

type MovedFlow = HashedEnds & { node_id: string; flow_key: string; whole: string; ordinal: number };

/**
 * Flows of parts become flows of the whole, with the keys under which later reports look for them. Where their node has reported the whole as
 * well, they keep theirs.
 */
async function moveFlows(tx: Tx, parts: readonly { id: string; whole: string }[]): Promise<void> {
  // In the order of the locks: flows before their conversations.
  const flows = await tx.execute<MovedFlow>(sql`
    select t.node_id, t.flow_key, host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip, t.protocol, t.source_port,
      t.destination_port, t.decision, r.whole, w.ordinal
    from ${trafficFlows} as t join ${unnestRows({ id: 'uuid', whole: 'uuid' }, 'id', parts)} as r on t.conversation_id = r.id
    join ${trafficConversations} as w on w.id = r.whole
    order by t.node_id, t.flow_key for update of t`);
  const taken = new Set<string>();
  const moves = flows.map(({ node_id, flow_key, whole, ordinal, ...flow }) => {
    const new_key = toFlowKey(hashEnds(flow), { id: whole, ordinal });
    const isFirst = !taken.has(`${node_id} ${new_key}`);
    taken.add(`${node_id} ${new_key}`);
    return { node_id, flow_key, whole, new_key: isFirst ? new_key : flow_key };
  });
  const columns = { flow_key: 'uuid', node_id: 'uuid', whole: 'uuid', new_key: 'uuid' } as const;
  await tx.execute(sql`
    with moves as materialized (
      select m.node_id, m.flow_key, m.whole, case when exists (
          select 1 from ${trafficFlows} as t where t.node_id = m.node_id and t.flow_key = m.new_key)
        then m.flow_key else m.new_key end as new_key
      from ${unnestRows(columns, 'flow_key', moves)} as m),
    moved as (
      update ${trafficFlows} as t set conversation_id = m.whole, flow_key = m.new_key from moves as m
      where t.node_id = m.node_id and t.flow_key = m.flow_key
      returning m.node_id, m.flow_key, m.new_key, t.first_seen_at, t.observed_at)
    update ${flowUnresolvedMinutes} as d set flow_key = m.new_key from moved as m
    where d.node_id = m.node_id and d.flow_key = m.flow_key and m.new_key <> m.flow_key
      and d.bucket_at between date_trunc('minute', m.first_seen_at) and m.observed_at and not exists (
        select 1 from ${flowUnresolvedMinutes} as o where o.node_id = d.node_id and o.bucket_at = d.bucket_at
          and o.rollup_key = d.rollup_key and o.flow_key = m.new_key)`);
}

/** Joins conversations of which ends became known with those that they turn out to be a part of. @returns how many were due */
async function joinParts(tx: Tx): Promise<number> {
  const due = await tx.execute<DueConversation>(sql`
    select c.id, c.conversation_key, c.ordinal, c.is_final, c.workload_id as observer, to_json(c.node_ids) as nodes,
      case when (c.client_ip, coalesce(c.client_port, -1)) <= (c.server_ip, coalesce(c.server_port, -1)) then c.client_workload_id else c.server_workload_id end as low,
      case when (c.client_ip, coalesce(c.client_port, -1)) <= (c.server_ip, coalesce(c.server_port, -1)) then c.server_workload_id else c.client_workload_id end as high,
      (date_part('epoch', c.first_seen_at) * 1000)::float8 as first_seen, (date_part('epoch', c.last_seen_at) * 1000)::float8 as last_seen
    from ${trafficConversations} as c where c.conversation_key in (
      select conversation_key from ${trafficConversations} where is_merge_due and not is_final limit ${CHUNK_KEYS}) and not c.is_final`);
  const parts = findParts(due);
  if (parts.length > 0) {
    await moveFlows(tx, parts);
    await resumConversations(tx, [...new Set(parts.flatMap(({ id, whole }) => [id, whole]))]);
  }
  await tx.execute(sql`
    update ${trafficConversations} as c set is_merge_due = false, revision = c.revision + 1
    from (select id from ${trafficConversations} where is_merge_due and id = any (${pgArray(
      'uuid',
      due.map(({ id }) => id),
    )}) order by id for update) as d where c.id = d.id`);
  return due.length;
}

/** One node that has flows without a conversation. */
async function findUnassignedNode(): Promise<string | null> {
  const rows = await db.execute<{ node_id: string }>(
    sql`select node_id from ${trafficFlows} where conversation_id is null limit 1`,
  );
  return rows[0]?.node_id ?? null;
}

/** In small transactions, for some seconds. */
export const settleConversations: FlowUpkeep['settleConversations'] = async (signal) => {
  const until = performance.now() + BUDGET_MS;
  const done = { assigned: 0, joined: 0 };
  for (let node = await findUnassignedNode(); node !== null; node = await findUnassignedNode()) {
    const nodeId = node;
    done.assigned += await db.transaction((tx) => assignStored(tx, nodeId));
    signal?.throwIfAborted();
    if (performance.now() > until) return done;
  }
  for (let due = CHUNK_KEYS; due > 0 && performance.now() < until; ) {
    signal?.throwIfAborted();
    due = await db.transaction((tx) => joinParts(tx));
    done.joined += due;
  }
  return done;
};
