import type { Flow, HeartbeatAnswer, HeartbeatEnvelope } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { noteSeenSources } from '../../addresses/queries/sightings';
import { storableText } from '../../audit/canonical';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { countFlows } from '../../lib/metrics';
import { storedSettings } from '../../settings/settings';
import { type AddressBook, addressBook } from '../flows/address-book';
import { type ClockWindow, clockWindow } from '../flows/clock-window';
import { keepUnconfirmed, MOST_UNCONFIRMED } from '../flows/keep-unconfirmed';
import { confirmedObserver } from '../flows/known-ends';
import { type FlowValidation, type UnconfirmedFlow, validateFlows } from '../flows/validate-flows';
import { addAgentHours } from '../queries/agent-hours';
import {
  type AgentState,
  findAgent,
  findHeartbeat,
  insertHeartbeat,
  insertHypervisorEdits,
  lockAgent,
  updateAgent,
} from '../queries/agents';
import { flowStore } from '../storage/flow-store';
import { type AgentScope, chargeFlows } from './agent-identity';
import { isBacklog, storableTime } from './backlog';
import { coveredHours, lossCounters } from './covered-hours';
import { listSeenSources } from './seen-sources';

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
export function compactPayload(heartbeat: HeartbeatEnvelope, sample: readonly Flow[]): Record<string, unknown> {
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

/** Rejections that are kept for the answer to a repeated heartbeat. */
const REJECTIONS_KEPT = 100;

function assertSameMachine(agent: AgentState | null, heartbeat: HeartbeatEnvelope): asserts agent is AgentState {
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

const findOldest = ({ flows }: FlowValidation): string | null =>
  flows.reduce<string | null>((oldest, { record: { observed_at } }) => {
    return oldest === null || observed_at < oldest ? observed_at : oldest;
  }, null);

/** Told only where there are any. */
const toUnconfirmedCount = (unconfirmed: number) => (unconfirmed > 0 ? { unconfirmed } : {});

/** Reports that cannot be kept until they are confirmed. */
const toOverflowRejections = (flows: readonly UnconfirmedFlow[]) =>
  flows.map(({ index, vmid }) => ({
    index,
    reason: `workload ${vmid} is not on this node, and ${MOST_UNCONFIRMED} flows are already waiting for confirmation of its node`,
  }));

async function storeInterfaces(
  tx: Tx,
  node: AgentScope['node'],
  heartbeat: HeartbeatEnvelope,
  times: ClockWindow,
  book: AddressBook,
): Promise<void> {
  const { cluster_id, node_id } = node;
  const read = (time: string) => times.read(time) ?? times.now;
  const sent = read(heartbeat.sent_at);
  const guestAt = (vmid: number | undefined, at: number) =>
    confirmedObserver(book, { cluster_id, node_id, vmid: vmid ?? null, at });
  await flowStore().appendInterfaces(tx, node, {
    at: new Date(sent).toISOString(),
    samples: heartbeat.interfaces.map(({ vmid, nic, ...counters }) => ({
      ...counters,
      vmid: vmid ?? null,
      nic: nic ?? null,
      workload_id: guestAt(vmid, sent),
    })),
    traffic: heartbeat.interface_traffic.map((row) => ({
      ...row,
      observed_at: new Date(read(row.observed_at)).toISOString(),
      workload_id: guestAt(row.vmid, read(row.observed_at)),
    })),
  });
}

/** Of the hypervisor's own rules; null: an agent that does not report it, or cannot read them. */
const getOwnHash = ({ enforcement }: HeartbeatEnvelope): string | null => enforcement?.ruleset_hash ?? null;

/** Who edited firewalls. An edit without a time that can be read is left out. */
async function storeEdits(
  tx: Tx,
  { cluster_id }: AgentScope['node'],
  { hypervisor_edits = [] }: HeartbeatEnvelope,
  times: ClockWindow,
): Promise<void> {
  const edits = hypervisor_edits.flatMap(({ at, user, object, vmid = 0 }) => {
    const read = times.read(at);
    return read === null ? [] : [{ cluster_id, object, vmid, user_name: user, at: new Date(read).toISOString() }];
  });
  await insertHypervisorEdits(tx, cluster_id, edits);
}

/**
 * Stores what an agent reports, all of it or nothing, before it is answered. Heartbeats of one node are stored one after
 * the other; a repeated one (same boot and sequence) changes nothing and gets the answer of the first.
 * @throws AppError `forbidden` when the machine is not the one that enrolled
 */
export async function recordHeartbeat(scope: AgentScope, heartbeat: HeartbeatEnvelope): Promise<HeartbeatAnswer> {
  const { node } = scope;
  await chargeFlows(node.node_id, heartbeat.interval_seconds, heartbeat.flows.length);
  const [settings, book, before] = await Promise.all([storedSettings(db), addressBook(), findAgent(db, node.node_id)]);
  const received = clock.now();
  const times = clockWindow(
    received,
    heartbeat.sent_at,
    isBacklog(before, heartbeat, received) ? (before?.clock_offset_ms ?? null) : null,
  );
  const now = received.toISOString();
  const validation = validateFlows(heartbeat.flows, {
    clusterId: node.cluster_id,
    nodeId: node.node_id,
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
      const { accepted, updated, unconfirmed, rejected } = known;
      return {
        accepted,
        updated,
        ...toUnconfirmedCount(unconfirmed),
        rejected,
        next_interval_seconds,
        duplicate: true,
      };
    }
    const accepted = await flowStore().append(tx, node, validation.flows, now);
    const updated = validation.valid - accepted;
    const unconfirmed = await keepUnconfirmed(tx, node, validation.unconfirmed, now);
    const rejected = [...validation.rejected, ...toOverflowRejections(validation.unconfirmed.slice(unconfirmed))];
    await storeInterfaces(tx, node, heartbeat, times, book);
    await storeEdits(tx, node, heartbeat, times);
    await noteSeenSources(tx, listSeenSources(node, heartbeat, { book, times, flows: validation.flows }));
    const backlog = isBacklog(agent, heartbeat, received);
    const covered = { times, backlog, stored: { flows: validation.flows, rejected: rejected.length } };
    // Sent together: the second statement costs no round trip of its own.
    await Promise.all([
      insertHeartbeat(tx, {
        node_id: node.node_id,
        boot_id,
        sequence,
        received_at: now,
        accepted,
        updated,
        unconfirmed,
        rejected_count: rejected.length,
        rejected: rejected.slice(0, REJECTIONS_KEPT),
        oldest_observed_at: findOldest(validation),
      }),
      addAgentHours(
        tx,
        coveredHours(agent, heartbeat, covered).map((hour) => ({ ...hour, node_id: node.node_id })),
      ),
    ]);
    const answer = { accepted, updated, ...toUnconfirmedCount(unconfirmed), rejected, next_interval_seconds };
    // A heartbeat stored during an outage does not show the agent's current state.
    if (backlog) return answer;
    const status = computeStatus(heartbeat);
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
      enforcement: heartbeat.enforcement ?? null,
      ...(getOwnHash(heartbeat) !== agent.enforcement_hash && { enforcement_changed_at: now }),
      payload: compactPayload(heartbeat, validation.sample),
      loss_counters: lossCounters(heartbeat),
      updated_at: now,
    });
    if (agent.status !== status) await publishEvent(tx, { type: 'inventory.changed', cluster_id: node.cluster_id });
    return answer;
  });
  if (!('duplicate' in stored)) {
    const { accepted, updated, unconfirmed = 0, rejected } = stored;
    countFlows({ accepted, updated, unconfirmed, rejected: rejected.length });
  }
  return stored;
}
