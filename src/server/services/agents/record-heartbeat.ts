import type { HeartbeatAnswer, HeartbeatEnvelope } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import type { AgentScope } from '../../auth/agent-identity';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { countFlows } from '../../lib/metrics';
import {
  type AgentState,
  findAgent,
  findHeartbeat,
  insertHeartbeat,
  lockAgent,
  updateAgent,
} from '../../repositories/agents';
import { findReportedFlows, upsertFlows } from '../../repositories/flows';
import { insertInterfaceSamples, insertInterfaceTraffic } from '../../repositories/interface-samples';
import { addToMinutes } from '../../repositories/rollups';
import { addUnresolvedParts } from '../../repositories/unresolved-minutes';
import { addCounters, isUndecided } from '../flows/add-counters';
import { type AddressBook, addressBook } from '../flows/address-book';
import { type ClockWindow, clockWindow } from '../flows/clock-window';
import { type Judgement, judgeFlows } from '../flows/judge-flows';
import { rollUp } from '../flows/roll-up';
import { storedSettings } from '../settings/stored-settings';
import { isBacklog, storableTime } from './backlog';
import { compactPayload, PAYLOAD_FLOWS } from './compact-payload';

/** Rejections that are kept for the answer to a repeated heartbeat. */
const REJECTIONS_KEPT = 100;

function assertSameMachine(agent: AgentState | null, heartbeat: HeartbeatEnvelope): asserts agent is AgentState {
  if (!agent) throw new AppError('unauthenticated', 'The node token is not valid. Install the agent again.');
  if (agent.machine_id !== null && agent.machine_id !== heartbeat.machine_id) {
    throw new AppError(
      'forbidden',
      'The token belongs to an agent on another machine. Install the agent again on this node.',
      { errors: [{ field: 'machine_id', message: 'Not the machine that enrolled for this node.' }] },
    );
  }
}

/** Agents whose collectors all work are `ok`; one that lost a collector says so itself. */
function statusOf(heartbeat: HeartbeatEnvelope): 'ok' | 'degraded' {
  const states = heartbeat.flow_diagnostics?.collectors.map(({ state }) => state) ?? [];
  return states.includes('degraded') || (states.length > 0 && !states.includes('active')) ? 'degraded' : 'ok';
}

const oldestOf = ({ flows }: Judgement): string | null =>
  flows.reduce<string | null>((oldest, { record: { observed_at } }) => {
    return oldest === null || observed_at < oldest ? observed_at : oldest;
  }, null);

async function storeFlows(tx: Tx, node: AgentScope['node'], judgement: Judgement, now: string): Promise<number> {
  const { flows } = judgement;
  const stored = await findReportedFlows(
    tx,
    node.node_id,
    flows.filter(isUndecided).map((flow) => flow.record.flow_key),
  );
  addCounters(flows, stored);
  const inserted = await upsertFlows(
    tx,
    node,
    flows.map((flow) => flow.record),
    now,
  );
  const { sums, parts } = rollUp(flows, inserted);
  await addToMinutes(tx, node, sums);
  await addUnresolvedParts(tx, node.node_id, parts);
  return inserted.size;
}

async function storeInterfaces(
  tx: Tx,
  node: AgentScope['node'],
  heartbeat: HeartbeatEnvelope,
  times: ClockWindow,
  book: AddressBook,
): Promise<void> {
  const { cluster_id } = node;
  const at = new Date(times.read(heartbeat.sent_at) ?? times.now).toISOString();
  await insertInterfaceSamples(
    tx,
    node.node_id,
    at,
    heartbeat.interfaces.map(({ vmid, nic, ...counters }) => ({
      ...counters,
      vmid: vmid ?? null,
      nic: nic ?? null,
      workload_id: book.guest(cluster_id, vmid),
    })),
  );
  await insertInterfaceTraffic(
    tx,
    node,
    heartbeat.interface_traffic.map((row) => ({
      ...row,
      observed_at: new Date(times.read(row.observed_at) ?? times.now).toISOString(),
      workload_id: book.guest(cluster_id, row.vmid),
    })),
  );
}

/**
 * Stores what an agent reports, all of it or nothing, before it is answered. Heartbeats of one node are stored one after
 * the other; a repeated one (same boot and sequence) changes nothing and gets the answer of the first.
 * @throws AppError `forbidden` when the machine is not the one that enrolled
 */
export async function recordHeartbeat(scope: AgentScope, heartbeat: HeartbeatEnvelope): Promise<HeartbeatAnswer> {
  const { node } = scope;
  const [settings, book, before] = await Promise.all([
    storedSettings(db),
    addressBook(db),
    findAgent(db, node.node_id),
  ]);
  const received = clock.now();
  const times = clockWindow(
    received,
    heartbeat.sent_at,
    isBacklog(before, heartbeat, received) ? (before?.clock_offset_ms ?? null) : null,
  );
  const now = received.toISOString();
  const judgement = judgeFlows(heartbeat.flows, {
    clusterId: node.cluster_id,
    clock: times,
    retentionHours: settings.flow_retention_hours,
    book,
    sampleSize: PAYLOAD_FLOWS,
  });
  const { boot_id, sequence } = heartbeat;
  const next_interval_seconds = Math.max(heartbeat.interval_seconds, AGENT_LIMITS.interval_seconds.minimum);

  const stored = await db.transaction(async (tx) => {
    const agent = await lockAgent(tx, node.node_id);
    assertSameMachine(agent, heartbeat);
    const known = await findHeartbeat(tx, { node_id: node.node_id, boot_id, sequence });
    if (known) {
      const { accepted, updated, rejected } = known;
      return { accepted, updated, rejected, next_interval_seconds, duplicate: true };
    }
    const accepted = await storeFlows(tx, node, judgement, now);
    const updated = judgement.valid - accepted;
    const { rejected } = judgement;
    await storeInterfaces(tx, node, heartbeat, times, book);
    await insertHeartbeat(tx, {
      node_id: node.node_id,
      boot_id,
      sequence,
      received_at: now,
      accepted,
      updated,
      rejected_count: rejected.length,
      rejected: rejected.slice(0, REJECTIONS_KEPT),
      oldest_observed_at: oldestOf(judgement),
    });
    const answer = { accepted, updated, rejected, next_interval_seconds };
    // What was kept during an outage says nothing about the agent now.
    if (isBacklog(agent, heartbeat, received)) return answer;
    const status = statusOf(heartbeat);
    await updateAgent(tx, node.node_id, {
      status,
      agent_version: heartbeat.agent_version,
      machine_id: heartbeat.machine_id,
      last_heartbeat_at: now,
      clock_offset_ms: times.offset_ms,
      last_boot_id: boot_id,
      last_sequence: sequence,
      last_sent_at: storableTime(heartbeat.sent_at, now),
      interval_seconds: heartbeat.interval_seconds,
      firewall_status: heartbeat.firewall_status,
      nftables_ruleset_hash: heartbeat.nftables_ruleset_hash,
      ...(heartbeat.nftables_ruleset_hash !== agent.nftables_ruleset_hash && { ruleset_changed_at: now }),
      payload: compactPayload(heartbeat, judgement.sample),
      updated_at: now,
    });
    if (agent.status !== status) await publishEvent(tx, { type: 'inventory.changed', cluster_id: node.cluster_id });
    return answer;
  });
  if (!('duplicate' in stored)) {
    countFlows({ accepted: stored.accepted, updated: stored.updated, rejected: stored.rejected.length });
  }
  return stored;
}
