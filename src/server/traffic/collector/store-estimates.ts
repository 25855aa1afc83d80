import type { PendingEstimate } from '@/domain/collector/pending-estimates';
import { HOUR_MS } from '@/domain/durations';
import { attributeEnds } from '@/domain/flow/attribute-ends';
import { getFlowProtocolName } from '@/domain/flow/protocols';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { stableKey } from '../../lib/ids';
import type { AddressBook } from '../flows/address-book';
import { endLookup } from '../flows/known-ends';
import type { ExporterRow } from '../queries/flow-exporters';
import type { EstimateRecord } from '../storage/flow-rows';
import { flowStore } from '../storage/flow-store';
import type { Batch } from './intake';

/** Rows of an exporter and an hour. What is beyond is one more. */
export const MOST_ESTIMATES = 10_000;

type Identity = Omit<
  EstimateRecord,
  'bucket_at' | 'estimate_key' | 'bytes' | 'packets' | 'samples' | 'variance' | 'records'
>;

const OTHERS: Identity = {
  ...{ source_workload_id: null, destination_workload_id: null, source_prefix: null, destination_prefix: null },
  ...{ source_internal: false, destination_internal: false, protocol: null, service_port: null },
};

const add = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER);

/**
 * Ends by their addresses, as those of exact flows. A device that is no node, such as a switch, carries the traffic of workloads of all
 * nodes of its cluster.
 */
function createIdentifier(book: AddressBook, { cluster_id, node_id }: Pick<ExporterRow, 'cluster_id' | 'node_id'>) {
  const endOf = endLookup(book, cluster_id);
  return ({ ends, last_ms }: PendingEstimate): Identity | null => {
    if (ends === null) return OTHERS;
    const [source, destination] = [endOf(ends.source_ip), endOf(ends.destination_ip)];
    if (!source || !destination) return null;
    const isHere = (id: string) => node_id === null || book.wasOn(id, node_id, last_ms);
    return {
      ...attributeEnds(source, destination, null, isHere),
      ...{ source_prefix: source.prefix, destination_prefix: destination.prefix },
      ...{ source_internal: source.cidr !== null, destination_internal: destination.cidr !== null },
      protocol: getFlowProtocolName(ends.protocol),
      service_port: ends.service_port,
    };
  };
}

type Outcome = { estimated: number; dropped: number; folded: number };

/**
 * Adds what an exporter sampled to its estimates. They are in no total of flows, so neither a node nor an agent on it matters.
 * Estimates in the name of another node, and those older than the retention, are left out.
 */
export async function storeEstimates(
  tx: Tx,
  exporter: ExporterRow,
  { estimates, exporter: sent }: Batch,
  { book, retentionHours }: { book: AddressBook; retentionHours: number },
): Promise<Outcome> {
  const cutoff = clock.now().getTime() - retentionHours * HOUR_MS;
  const identify = createIdentifier(book, exporter);
  const rows = new Map<string, EstimateRecord>();
  let [estimated, dropped] = [0, 0];
  for (const estimate of estimates) {
    const { bucket_ms, last_ms, bytes, packets, samples, variance, records } = estimate;
    const isExpired = last_ms < cutoff || exporter.node_id !== sent.node_id;
    const identity = isExpired ? null : identify(estimate);
    if (!identity) {
      dropped += records;
      continue;
    }
    estimated += records;
    const estimate_key = stableKey(Object.values(identity));
    const key = `${bucket_ms} ${estimate_key}`;
    const known = rows.get(key);
    const bucket_at = new Date(bucket_ms).toISOString();
    if (!known) rows.set(key, { ...identity, bucket_at, estimate_key, bytes, packets, samples, variance, records });
    else {
      known.bytes = add(known.bytes, bytes);
      known.packets = add(known.packets, packets);
      known.samples = add(known.samples, samples);
      known.variance += variance;
      known.records += records;
    }
  }
  if (rows.size === 0) return { estimated, dropped, folded: 0 };
  return {
    estimated,
    dropped,
    folded: await flowStore().estimates.add(tx, exporter.id, [...rows.values()], MOST_ESTIMATES),
  };
}
