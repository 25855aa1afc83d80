import type { HeartbeatAnswer, HeartbeatEnvelope } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { noteSeenSources } from '../../addresses/queries/sightings';
import { db, type Tx } from '../../db/client';
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
  findAgent,
  findHeartbeat,
  insertHeartbeat,
  insertHypervisorEdits,
  isKnownBoot,
  lockAgent,
} from '../queries/agents';
import { flowStore } from '../storage/flow-store';
import { type AgentScope, chargeFlows } from './agent-identity';
import { assertSameMachine, PAYLOAD_FLOWS, recordSignOfLife, storeAgentState } from './agent-state';
import { isBacklog, storableTime } from './backlog';
import { coveredHours, lossCounters } from './covered-hours';
import { listSeenSources } from './seen-sources';

/** Rejections that are kept for the answer to a repeated heartbeat. */
const REJECTIONS_KEPT = 100;

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
 * Why the store of flows does not take more of a node: what came before has not arrived. So no more than one heartbeat of each
 * agent waits in PostgreSQL, whatever the time of the outage; agents keep the others.
 */
async function findOutage(nodeId: string): Promise<AppError | null> {
  try {
    await flowStore().deliver(nodeId);
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return error;
    throw error;
  }
}

/**
 * Stores what an agent reports, all of it or nothing, before it is answered. Heartbeats of one node are stored one after
 * the other; a repeated one (same boot and sequence) changes nothing and gets the answer of the first.
 * @throws AppError `forbidden` when the machine is not the one that enrolled; `unavailable` when the store of flows does not answer:
 * the agent keeps the heartbeat, and this one counts as a sign of life
 */
export async function recordHeartbeat(scope: AgentScope, heartbeat: HeartbeatEnvelope): Promise<HeartbeatAnswer> {
  const { node } = scope;
  await chargeFlows(node.node_id, heartbeat.interval_seconds, heartbeat.flows.length);
  const [settings, book, before, outage] = await Promise.all([
    storedSettings(db),
    addressBook(),
    findAgent(db, node.node_id),
    findOutage(node.node_id),
  ]);
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
  const seen = { received, times, sample: validation.sample };
  if (outage) {
    await recordSignOfLife(node, heartbeat, seen);
    throw outage;
  }
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
    const isKnown = boot_id === agent.last_boot_id || (await isKnownBoot(tx, node.node_id, boot_id));
    const covered = {
      times,
      backlog,
      isKnownBoot: isKnown,
      stored: { flows: validation.flows, rejected: rejected.length },
    };
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
    await storeAgentState(tx, node, agent, heartbeat, seen, {
      last_boot_id: boot_id,
      last_sequence: sequence,
      last_sent_at: storableTime(heartbeat.sent_at, now),
      loss_counters: lossCounters(heartbeat),
    });
    return answer;
  });
  if (!('duplicate' in stored)) {
    const { accepted, updated, unconfirmed = 0, rejected } = stored;
    countFlows({ accepted, updated, unconfirmed, rejected: rejected.length });
  }
  // Without an answer the agent keeps the heartbeat and sends it again; then it is one that is known.
  await flowStore().deliver(node.node_id);
  return stored;
}
