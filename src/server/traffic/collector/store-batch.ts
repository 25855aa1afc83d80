import type { Flow } from '@fabric/agent-contract';
import type { PendingFlow } from '@/domain/collector/pending-flows';
import { getFlowProtocolName } from '@/domain/flow/protocols';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { storedSettings } from '../../settings/settings';
import { type AddressBook, addressBook } from '../flows/address-book';
import { clockWindow } from '../flows/clock-window';
import { validateFlows } from '../flows/validate-flows';
import { addToStatus, type ExporterRow, findLastBatch, lockExporter, lockNodeAgent } from '../queries/flow-exporters';
import { flowStore } from '../storage/flow-store';
import type { Batch } from './intake';
import { storeEstimates } from './store-estimates';

const time = (ms: number) => new Date(ms).toISOString();

/** A flow as an agent would report it. An exporter knows neither what a firewall did nor interfaces of workloads. */
function toReport(flow: PendingFlow, { name }: Pick<ExporterRow, 'name'>): Flow {
  const { icmp_type, icmp_code, vlan, initiator } = flow;
  return {
    source_ip: flow.source_ip,
    destination_ip: flow.destination_ip,
    protocol: getFlowProtocolName(flow.protocol),
    source_port: flow.source_port,
    destination_port: flow.destination_port,
    ...{ decision: 'observed', state: null },
    // After each record exporters count from zero: all of it is new.
    ...{ bytes: null, packets: null },
    ...(flow.bytes !== null && { delta_bytes: flow.bytes }),
    ...(flow.packets !== null && { delta_packets: flow.packets }),
    first_seen_at: time(flow.first_ms),
    observed_at: time(flow.last_ms),
    collector: flow.export_protocol,
    ...(initiator !== null && { initiator }),
    ...(icmp_type !== null && { icmp_type }),
    ...(icmp_code !== null && { icmp_code }),
    ...(vlan !== null && { vlan }),
    raw: { exporter: name },
  };
}

const countRecords = (flows: readonly PendingFlow[]) => flows.reduce((sum, { records }) => sum + records, 0);

type Outcome = { stored: number; superseded: number; dropped: number };

/** Stores the flows of a node like those of its agent, unless it has one that reports. */
async function storeFlows(
  tx: Tx,
  exporter: ExporterRow,
  { flows, exporter: sent }: Batch,
  { book, retentionHours }: { book: AddressBook; retentionHours: number },
): Promise<Outcome> {
  const none = { stored: 0, superseded: 0, dropped: 0 };
  if (flows.length === 0) return none;
  const { node_id, cluster_id } = exporter;
  const records = countRecords(flows);
  // What was sent in the name of another node, or of none, is not this node's.
  if (node_id === null || node_id !== sent.node_id) return { ...none, dropped: records };
  const received = clock.now();
  const now = received.toISOString();
  if (await lockNodeAgent(tx, node_id, now)) return { ...none, superseded: records };
  const validation = validateFlows(
    flows.map((flow) => toReport(flow, exporter)),
    {
      ...{ clusterId: cluster_id, nodeId: node_id, clock: clockWindow(received, now) },
      ...{ retentionHours, book, sampleSize: 0 },
    },
  );
  await flowStore().append(tx, { node_id, cluster_id }, validation.flows, now);
  const dropped = validation.rejected.reduce((sum, { index }) => sum + (flows[index]?.records ?? 0), 0);
  return { ...none, stored: records - dropped, dropped };
}

/**
 * Stores part of what an exporter sent, all of it or nothing. A repeated one changes nothing, and one of an exporter that was deleted
 * is left out.
 * @throws AppError `unavailable` when the store of flows does not answer: no other part is to be stored before
 */
export async function storeBatch(batch: Batch): Promise<void> {
  const [settings, book] = await Promise.all([storedSettings(db), addressBook()]);
  await db.transaction(async (tx) => {
    const exporter = await lockExporter(tx, batch.exporter.id);
    if (!exporter || (await findLastBatch(tx, exporter.id)) === batch.id) return;
    const options = { book, retentionHours: settings.flow_retention_hours };
    const { stored, superseded, dropped } = await storeFlows(tx, exporter, batch, options);
    const estimates = await storeEstimates(tx, exporter, batch, options);
    const { last_seen_at, protocol, sampling, received } = batch;
    await addToStatus(tx, {
      ...{ exporter_id: exporter.id, last_seen_at, protocol, sampling, last_batch: batch.id },
      ...{ ...received, stored, superseded, estimated: estimates.estimated },
      dropped: received.dropped + dropped + estimates.dropped,
      folded: received.folded + estimates.folded,
    });
  });
  if (batch.exporter.node_id !== null) await flowStore().deliver(batch.exporter.node_id);
}
