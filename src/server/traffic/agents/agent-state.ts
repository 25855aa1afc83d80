import type { Flow, HeartbeatEnvelope } from '@fabric/agent-contract';
import { storableText } from '../../audit/canonical';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { AppError } from '../../lib/errors';
import type { ClockWindow } from '../flows/clock-window';
import { type AgentState, lockAgent, updateAgent } from '../queries/agents';
import type { AgentScope } from './agent-identity';
import { isBacklog } from './backlog';

/** Flows, and lines of each other list, that the stored copy of a heartbeat keeps. */
export const PAYLOAD_FLOWS = 50;
const PAYLOAD_INTERFACES = 200;

/** Plain JSON whose texts PostgreSQL can store; flows are the part of a heartbeat not validated so far. */
const storable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, item: unknown) => (typeof item === 'string' ? storableText(item) : item));

/**
 * The copy of a heartbeat that is kept: plain JSON, lists cut, with `flow_count` (all that were sent) and `flows_truncated`.
 * @param sample the first good flows
 */
function compactPayload(heartbeat: HeartbeatEnvelope, sample: readonly Flow[]): Record<string, unknown> {
  const { flows, interfaces, interface_traffic, ...others } = heartbeat;
  const { hypervisor_edits: _edits, enforcement: _enforcement, sent_addresses: _addresses, ...rest } = others;
  return {
    ...rest,
    interfaces: interfaces.slice(0, PAYLOAD_INTERFACES),
    interface_count: interfaces.length,
    interface_traffic: interface_traffic.slice(0, PAYLOAD_INTERFACES),
    interface_traffic_count: interface_traffic.length,
    flows: sample.slice(0, PAYLOAD_FLOWS).map(({ raw: _, ...flow }) => storable(flow)),
    flow_count: flows.length,
    flows_truncated: flows.length > PAYLOAD_FLOWS,
  };
}

export function assertSameMachine(agent: AgentState | null, heartbeat: HeartbeatEnvelope): asserts agent is AgentState {
  if (!agent) throw new AppError('unauthenticated', 'The node token is not valid. Reinstall the agent.');
  if (agent.machine_id !== null && agent.machine_id !== heartbeat.machine_id) {
    throw new AppError(
      'forbidden',
      'The token belongs to an agent on another machine. Reinstall the agent on this node.',
      { errors: [{ field: 'machine_id', message: 'This machine did not enroll for the node.' }] },
    );
  }
}

/** Agents whose collectors all work are `ok`; one that lost a collector says so itself. */
function computeStatus(heartbeat: HeartbeatEnvelope): 'ok' | 'degraded' {
  const states = heartbeat.flow_diagnostics?.collectors.map(({ state }) => state) ?? [];
  return states.includes('degraded') || (states.length > 0 && !states.includes('active')) ? 'degraded' : 'ok';
}

/** Of the hypervisor's own rules; null: an agent that does not report it, or cannot read them. */
const getOwnHash = ({ enforcement }: HeartbeatEnvelope): string | null => enforcement?.ruleset_hash ?? null;

type Seen = { received: Date; times: ClockWindow; sample: readonly Flow[] };

/** Stores what a heartbeat says about its agent as it is now, and `values` that belong to the flows which were stored with it. */
export async function storeAgentState(
  tx: Tx,
  { node_id, cluster_id }: AgentScope['node'],
  agent: AgentState,
  heartbeat: HeartbeatEnvelope,
  { received, times, sample }: Seen,
  values: Parameters<typeof updateAgent>[2] = {},
): Promise<void> {
  const now = received.toISOString();
  const status = computeStatus(heartbeat);
  await updateAgent(tx, node_id, {
    status,
    agent_version: heartbeat.agent_version,
    machine_id: heartbeat.machine_id,
    last_heartbeat_at: now,
    clock_offset_ms: times.offset_ms,
    interval_seconds: heartbeat.interval_seconds,
    firewall_status: heartbeat.firewall_status,
    nftables_ruleset_hash: heartbeat.nftables_ruleset_hash,
    ...(heartbeat.nftables_ruleset_hash !== agent.nftables_ruleset_hash && { ruleset_changed_at: now }),
    enforcement: heartbeat.enforcement ?? null,
    ...(getOwnHash(heartbeat) !== agent.enforcement_hash && { enforcement_changed_at: now }),
    payload: compactPayload(heartbeat, sample),
    updated_at: now,
    ...values,
  });
  if (agent.status !== status) await publishEvent(tx, { type: 'inventory.changed', cluster_id });
}

/**
 * Notes that an agent reports, when the store of flows cannot take what it reports. Its sequence stays: the heartbeat is sent again, and
 * is then as new as it is now.
 */
export function recordSignOfLife(node: AgentScope['node'], heartbeat: HeartbeatEnvelope, seen: Seen): Promise<void> {
  return db.transaction(async (tx) => {
    const agent = await lockAgent(tx, node.node_id);
    assertSameMachine(agent, heartbeat);
    if (!isBacklog(agent, heartbeat, seen.received)) await storeAgentState(tx, node, agent, heartbeat, seen);
  });
}
