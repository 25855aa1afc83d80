import type { Tx } from '../../db/client';
import type { FlowNode } from '../storage/flow-rows';
import { flowStore } from '../storage/flow-store';
import type { UnconfirmedFlow } from './validate-flows';

/** Reports of one node that are kept at a time: some hours of a node whose workloads all moved while the cluster cannot be read. */
export const MOST_UNCONFIRMED = 50_000;

/**
 * Keeps reports about workloads that the inventory places on another node, as far as there is room.
 * @returns how many are kept
 */
export function keepUnconfirmed(
  tx: Tx,
  { node_id, cluster_id }: FlowNode,
  flows: readonly UnconfirmedFlow[],
  now: string,
): Promise<number> {
  const reports = flows.map(({ flow: { record, delta_bytes, delta_packets, has_begin }, vmid, workload_id }) => ({
    vmid,
    workload_id,
    observed_at: record.observed_at,
    report: { record, delta_bytes, delta_packets, has_begin },
  }));
  return flowStore().unconfirmed.keep(tx, { node_id, cluster_id }, reports, { most: MOST_UNCONFIRMED, now });
}
