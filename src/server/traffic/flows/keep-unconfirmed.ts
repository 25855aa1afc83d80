import type { Tx } from '../../db/client';
import { countKept, insertUnconfirmed } from '../storage/postgres/unconfirmed';
import type { UnconfirmedFlow } from './judge-flows';

/** Reports of one node that are kept at a time: some hours of a node whose workloads all moved while the cluster cannot be read. */
export const MOST_UNCONFIRMED = 50_000;

/**
 * Keeps reports about workloads that the inventory places on another node, as far as there is room.
 * @returns how many are kept
 */
export async function keepUnconfirmed(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  flows: readonly UnconfirmedFlow[],
  now: string,
): Promise<number> {
  if (flows.length === 0) return 0;
  const room = MOST_UNCONFIRMED - (await countKept(tx, node.node_id, MOST_UNCONFIRMED));
  const kept = flows.slice(0, Math.max(0, room));
  const { node_id, cluster_id } = node;
  await insertUnconfirmed(
    tx,
    kept.map(({ flow: { record, delta_bytes, delta_packets, has_begin }, vmid, workload_id }) => ({
      node_id,
      cluster_id,
      vmid,
      workload_id,
      received_at: now,
      observed_at: record.observed_at,
      report: { record, delta_bytes, delta_packets, has_begin },
    })),
  );
  return kept.length;
}
