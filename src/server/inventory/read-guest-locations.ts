import { db } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { clock } from '../lib/clock';
import { clusterAccess, openProvider as open } from './cluster-access';
import { findClusterRow, lockClusterForShare } from './queries/clusters';
import { listWorkloadsForSync, updateWorkloads } from './queries/sync-guests';
import { listNodesForSync } from './queries/sync-nodes';
import { planGuests } from './reconcile/guests';

/** Where guests of a cluster were when it was asked (milliseconds since 1970), by VMID. Those that it did not list are missing. */
export type GuestLocations = {
  read_at: number;
  guests: ReadonlyMap<number, { node_id: string | null; lock: string | null }>;
};

/**
 * Asks a cluster where its guests are, in one request, and stores the new place of those among `vmids` that moved, as a sync
 * would. Everything else about them waits for the next sync. Null when the cluster is gone.
 * @throws ProviderError when the cluster cannot be read, AppError when its token cannot be used
 */
export async function readGuestLocations(
  clusterId: string,
  vmids: ReadonlySet<number>,
  openProvider: typeof open = open,
): Promise<GuestLocations | null> {
  const cluster = await findClusterRow(db, clusterId);
  if (!cluster) return null;
  const provider = openProvider(clusterAccess(cluster));
  try {
    const now = clock.now();
    const listing = await provider.inventory.listGuests();
    const [nodes, present] = await Promise.all([listNodesForSync(db, clusterId), listWorkloadsForSync(db, clusterId)]);
    const nodeIds = new Map(nodes.map((node) => [node.name, node.id]));
    const before = new Map(present.map((workload) => [workload.id, workload.node_id]));
    const moved = planGuests(listing, present, nodeIds, now).change.filter(
      ({ id, vmid, node_id }) => vmids.has(vmid) && node_id !== null && node_id !== before.get(id),
    );
    if (moved.length > 0) {
      await db.transaction(async (tx) => {
        const held = await lockClusterForShare(tx, clusterId);
        // Another cluster may be behind the entry by now.
        if (held?.api_url !== cluster.api_url) return;
        await updateWorkloads(
          tx,
          moved.map(({ id, node_id, lock, config_digest }) => ({ id, node_id, lock, config_digest })),
        );
        await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
      });
    }
    const guests = listing.items.map(({ vmid, node, lock }) => {
      return [vmid, { node_id: nodeIds.get(node) ?? null, lock }] as const;
    });
    return { read_at: now.getTime(), guests: new Map(guests) };
  } finally {
    provider.close();
  }
}
