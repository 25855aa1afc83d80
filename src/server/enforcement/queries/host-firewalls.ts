import { and, asc, eq } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { nodes } from '../../db/schema/clusters';
import { networks } from '../../db/schema/networks';

/** Nodes of a cluster with how the inventory says that they filter. */
export function listNodesOfCluster(executor: Executor, clusterId: string) {
  return executor
    .select({ id: nodes.id, name: nodes.name, nftables: nodes.nftables })
    .from(nodes)
    .where(eq(nodes.cluster_id, clusterId))
    .orderBy(asc(nodes.name));
}

/** VNets of a cluster as the inventory has them. */
export function listVnetsOfCluster(executor: Executor, clusterId: string) {
  return executor
    .select({ id: networks.id, name: networks.name, node_names: networks.node_names })
    .from(networks)
    .where(and(eq(networks.cluster_id, clusterId), eq(networks.kind, 'vnet')))
    .orderBy(asc(networks.name));
}
export type VnetOfCluster = Awaited<ReturnType<typeof listVnetsOfCluster>>[number];
