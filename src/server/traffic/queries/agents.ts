import { eq, sql } from 'drizzle-orm';
import { SLOT_MS } from '@/domain/dashboard/monitoring';
import { HOUR_MS } from '@/domain/durations';
import { HOURLY_HOURS } from '@/domain/flow/plan-range';
import { deleteAged } from '../../db/aged-rows';
import { db, type Executor, type Tx } from '../../db/client';
import { agentEnrolments, agentHeartbeats, agentHours, hypervisorEdits } from '../../db/schema/agents';
import { nodeAgents, nodes } from '../../db/schema/clusters';
import { workloadPlacements, workloads } from '../../db/schema/workloads';

export type AgentNode = {
  node_id: string;
  cluster_id: string;
  node_name: string;
  token_hash: string;
  interval_seconds: number | null;
};

/** The node whose agent has the token with this hash. */
export async function findAgentByTokenHash(executor: Executor, hash: string): Promise<AgentNode | null> {
  const [row] = await executor
    .select({
      node_id: nodes.id,
      cluster_id: nodes.cluster_id,
      node_name: nodes.name,
      token_hash: sql<string>`${nodeAgents.token_hash}`,
      interval_seconds: nodeAgents.interval_seconds,
    })
    .from(nodeAgents)
    .innerJoin(nodes, eq(nodes.id, nodeAgents.node_id))
    .where(eq(nodeAgents.token_hash, hash));
  return row ?? null;
}

/** What is asked of an agent at each heartbeat. Not its newest payload: reading that would cost more than the rest. */
const state = {
  status: nodeAgents.status,
  machine_id: nodeAgents.machine_id,
  last_boot_id: nodeAgents.last_boot_id,
  last_sequence: nodeAgents.last_sequence,
  last_sent_at: nodeAgents.last_sent_at,
  last_heartbeat_at: nodeAgents.last_heartbeat_at,
  interval_seconds: nodeAgents.interval_seconds,
  clock_offset_ms: nodeAgents.clock_offset_ms,
  nftables_ruleset_hash: nodeAgents.nftables_ruleset_hash,
  enforcement_hash: sql<string | null>`${nodeAgents.enforcement} ->> 'ruleset_hash'`,
  loss_counters: nodeAgents.loss_counters,
};
type Row = typeof nodeAgents.$inferSelect;
export type AgentState = Pick<Row, Exclude<keyof typeof state, 'enforcement_hash'>> & {
  enforcement_hash: string | null;
};

export async function findAgent(executor: Executor, nodeId: string): Promise<AgentState | null> {
  const [row] = await executor.select(state).from(nodeAgents).where(eq(nodeAgents.node_id, nodeId));
  return row ?? null;
}

/** The agent of a node, locked: heartbeats of one node are stored one after the other. */
export async function lockAgent(tx: Tx, nodeId: string): Promise<AgentState | null> {
  const [row] = await tx.select(state).from(nodeAgents).where(eq(nodeAgents.node_id, nodeId)).for('update');
  return row ?? null;
}

export async function updateAgent(
  tx: Tx,
  nodeId: string,
  values: Partial<typeof nodeAgents.$inferInsert>,
): Promise<void> {
  await tx.update(nodeAgents).set(values).where(eq(nodeAgents.node_id, nodeId));
}

export type HeartbeatRow = typeof agentHeartbeats.$inferSelect;

/** What a heartbeat was answered, when it was stored before. */
export async function findHeartbeat(
  tx: Tx,
  key: Pick<HeartbeatRow, 'node_id' | 'boot_id' | 'sequence'>,
): Promise<HeartbeatRow | null> {
  const [row] = await tx
    .select()
    .from(agentHeartbeats)
    .where(
      sql`${agentHeartbeats.node_id} = ${key.node_id} and ${agentHeartbeats.boot_id} = ${key.boot_id}
        and ${agentHeartbeats.sequence} = ${key.sequence}`,
    );
  return row ?? null;
}

/** Whether a heartbeat of this start of an agent was stored in the last day. */
export async function isKnownBoot(tx: Tx, nodeId: string, bootId: string): Promise<boolean> {
  const found = await tx
    .select({ sequence: agentHeartbeats.sequence })
    .from(agentHeartbeats)
    .where(sql`${agentHeartbeats.node_id} = ${nodeId} and ${agentHeartbeats.boot_id} = ${bootId}`)
    .limit(1);
  return found.length > 0;
}

export async function insertHeartbeat(tx: Tx, row: HeartbeatRow): Promise<void> {
  await tx.insert(agentHeartbeats).values(row);
}

/** Marks agents as silent whose last heartbeat is older than `missed` of their intervals and `minimum` seconds. */
export async function markStaleAgents(
  tx: Tx,
  now: string,
  missed: number,
  minimum: number,
): Promise<{ node_id: string; cluster_id: string }[]> {
  return tx.execute<{ node_id: string; cluster_id: string }>(sql`
    update ${nodeAgents} as a set status = 'silent', updated_at = ${now}::timestamptz
    from ${nodes} as n
    where n.id = a.node_id and a.status in ('ok', 'degraded') and a.last_heartbeat_at
      < ${now}::timestamptz - make_interval(secs => greatest(${minimum}::int, ${missed}::int * coalesce(a.interval_seconds, 0)))
    returning a.node_id, n.cluster_id`);
}

/** Adds confirmed flows to what the newest heartbeat of their node brought: who reads what is new looks at these as well. */
export async function addConfirmedFlows(
  tx: Tx,
  nodeId: string,
  flows: { accepted: number; updated: number; oldest: string | null; counted_until: string | null },
  at: string,
): Promise<void> {
  if (flows.oldest === null) return;
  // The count of coverage may have passed the newest heartbeat already.
  await tx.execute(sql`
    update ${nodeAgents} as a set confirmed_at = ${at}::timestamptz,
      confirmed_from = case when a.confirmed_at < ${flows.counted_until}::timestamptz
        then ${flows.oldest}::timestamptz else least(a.confirmed_from, ${flows.oldest}::timestamptz) end
    where a.node_id = ${nodeId}::uuid`);
  await tx.execute(sql`
    update ${agentHeartbeats} as h set accepted = h.accepted + ${flows.accepted}::int, updated = h.updated + ${flows.updated}::int,
      oldest_observed_at = least(h.oldest_observed_at, ${flows.oldest}::timestamptz)
    from (select boot_id, sequence from ${agentHeartbeats} where node_id = ${nodeId}::uuid
      order by received_at desc limit 1) as newest
    where h.node_id = ${nodeId}::uuid and h.boot_id = newest.boot_id and h.sequence = newest.sequence`);
}

/** Whether a refusal of a node's reports is to be recorded now: none was since `before`. */
export async function claimRefusalRecord(tx: Tx, nodeId: string, now: string, before: string): Promise<boolean> {
  const rows = await tx
    .update(nodeAgents)
    .set({ refusal_recorded_at: now })
    .where(
      sql`${nodeAgents.node_id} = ${nodeId} and (${nodeAgents.refusal_recorded_at} is null
        or ${nodeAgents.refusal_recorded_at} not between ${before}::timestamptz and ${now}::timestamptz)`,
    )
    .returning({ node_id: nodeAgents.node_id });
  return rows.length > 0;
}

const DAY_HOURS = 24;

/** Deletes expired heartbeats, edits, hours of agents, enrollments and former placements of workloads. @returns how many rows of each */
export async function retainAgents(
  now: number,
  signal: AbortSignal | undefined,
): Promise<
  Record<'workload_placements' | 'agent_heartbeats' | 'hypervisor_edits' | 'agent_hours' | 'agent_enrolments', number>
> {
  const ago = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
  return {
    // How far the evidence about a workload reaches depends on where it was.
    workload_placements: await deleteAged({ table: workloadPlacements, at: 'left_at' }, ago(HOURLY_HOURS), signal),
    agent_heartbeats: await deleteAged({ table: agentHeartbeats, at: 'received_at' }, ago(DAY_HOURS), signal),
    hypervisor_edits: await deleteAged({ table: hypervisorEdits, at: 'at' }, ago(DAY_HOURS), signal),
    agent_hours: await deleteAged({ table: agentHours, at: 'hour_at' }, ago(HOURLY_HOURS), signal),
    agent_enrolments: await deleteAged({ table: agentEnrolments, at: 'expires_at' }, ago(7 * DAY_HOURS), signal),
  };
}

/** Nodes whose agents sent a heartbeat, by windows of `SLOT_MS`, in milliseconds. `until` is not part of it. One query. */
export async function listHeartbeatSlots(since: string, until: string): Promise<{ slot: number; node_id: string }[]> {
  const width = sql.raw(String(SLOT_MS / 1000));
  const rows = await db.execute<{ slot: number; node_id: string }>(sql`
    select (floor(extract(epoch from received_at) / ${width}) * ${width} * 1000)::float8 as slot, node_id
    from ${agentHeartbeats} where received_at >= ${since}::timestamptz and received_at < ${until}::timestamptz group by 1, 2`);
  return [...rows];
}

/** Nodes whose agent has ever reported. */
export async function listReportingNodeIds(executor: Executor): Promise<string[]> {
  const rows = await executor
    .select({ node_id: nodeAgents.node_id })
    .from(nodeAgents)
    .where(sql`${nodeAgents.last_heartbeat_at} is not null`)
    .orderBy(nodeAgents.node_id);
  return rows.map((row) => row.node_id);
}

/**
 * When the oldest flow was last observed of those that heartbeats brought, or that were confirmed, since `received`; `none` when
 * there are none, `unknown` when a heartbeat does not say.
 */
export async function oldestReported(tx: Tx, nodeId: string, received: string): Promise<string | 'none' | 'unknown'> {
  const [row] = await tx
    .select({
      oldest: sql<string | null>`min(${agentHeartbeats.oldest_observed_at})`.mapWith(
        agentHeartbeats.oldest_observed_at,
      ),
      flows: sql<boolean>`coalesce(sum(${agentHeartbeats.accepted} + ${agentHeartbeats.updated}), 0) > 0`,
      known: sql<boolean>`coalesce(bool_and(${agentHeartbeats.oldest_observed_at} is not null
        or ${agentHeartbeats.accepted} + ${agentHeartbeats.updated} = 0), true)`,
    })
    .from(agentHeartbeats)
    .where(sql`${agentHeartbeats.node_id} = ${nodeId} and ${agentHeartbeats.received_at} >= ${received}::timestamptz`);
  const [late] = await tx
    .select({ from: nodeAgents.confirmed_from })
    .from(nodeAgents)
    .where(sql`${nodeAgents.node_id} = ${nodeId} and ${nodeAgents.confirmed_at} >= ${received}::timestamptz`);
  const confirmed = late?.from ?? null;
  if (!row?.flows) return confirmed ?? 'none';
  if (!row.known || row.oldest === null) return 'unknown';
  return confirmed !== null && confirmed < row.oldest ? confirmed : row.oldest;
}

/** Where guests are and whether an agent that reports looks at them there. */
export async function listGuestNodes(
  executor: Executor,
): Promise<{ workload_id: string; node_id: string | null; looked_at: boolean }[]> {
  return executor
    .select({
      workload_id: workloads.id,
      node_id: workloads.node_id,
      looked_at: sql<boolean>`coalesce(${nodeAgents.status} in ('ok', 'degraded'), false)`,
    })
    .from(workloads)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, workloads.node_id));
}

/** Of one cluster; with more, something else is wrong than a firewall. */
const MOST_EDITS = 10_000;

/** Adds edits of a cluster; those that are known change nothing. */
export async function insertHypervisorEdits(
  tx: Tx,
  clusterId: string,
  edits: readonly (typeof hypervisorEdits.$inferInsert)[],
): Promise<void> {
  if (edits.length === 0) return;
  const [{ kept } = { kept: 0 }] = await tx.execute<{ kept: number }>(sql`select count(*)::int as kept
    from (select from ${hypervisorEdits} where ${hypervisorEdits.cluster_id} = ${clusterId} limit ${MOST_EDITS}) kept`);
  if (kept >= MOST_EDITS) return;
  await tx
    .insert(hypervisorEdits)
    .values([...edits])
    .onConflictDoNothing();
}
