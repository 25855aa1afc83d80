import { randomUUID } from 'node:crypto';
import type { Observation } from '@/domain/collector/observation';
import { PendingEstimates } from '@/domain/collector/pending-estimates';
import { sqlClient } from '@/server/db/client';
import type { AllowedExporter } from '../../queries/flow-exporters';
import type { Batch } from '../intake';

export type SampledPacket = { source_ip: string; destination_ip: string } & Partial<Observation>;

/** What an exporter has sampled, as the collector stores it. */
export function makeSampledBatch(
  exporter: AllowedExporter,
  packets: readonly SampledPacket[],
  now = Date.now(),
): Batch {
  const estimates = new PendingEstimates();
  for (const packet of packets) {
    const observation: Observation = {
      ...{ protocol: 6, source_port: 40_000, destination_port: 443, icmp_type: null, icmp_code: null, vlan: null },
      ...{ bytes: 1_000, packets: 1, first_ms: null, last_ms: null, sampling: 100, initiator: null },
      ...packet,
    };
    estimates.add(observation, observation.sampling ?? 100, { last_ms: observation.last_ms ?? now }, true);
  }
  return {
    ...{ id: randomUUID(), exporter, protocol: 'sflow', sampling: 100, flows: [], estimates: estimates.drain() },
    last_seen_at: new Date(now).toISOString(),
    received: {
      ...{ datagrams: 1, records: packets.length, lost: 0, unknown_templates: 0, malformed: 0, untimed: 0 },
      ...{ dropped: 0, sampled: packets.length, folded: 0 },
    },
  };
}

/** An exporter of a cluster, by default a device that is no node. */
export async function makeExporter(
  cluster: { id: string },
  address: string,
  node: { id: string } | null = null,
): Promise<AllowedExporter> {
  const exporter = { id: randomUUID(), address, cluster_id: cluster.id, node_id: node?.id ?? null };
  await sqlClient()`insert into flow_exporters (id, name, address, cluster_id, node_id)
    values (${exporter.id}, ${`exporter ${exporter.id}`}, ${address}, ${cluster.id}, ${exporter.node_id})`;
  return exporter;
}
