import { and, asc, eq } from 'drizzle-orm';
import type { Executor } from '../db/client';
import { nodes } from '../db/schema/clusters';
import { networks } from '../db/schema/networks';
import { workloadInterfaces } from '../db/schema/workloads';

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

/** Interfaces of a workload with the network each is on, as of the last sync. */
export function listNetworksOfWorkload(executor: Executor, workloadId: string) {
  return executor
    .select({
      interface: workloadInterfaces.name,
      bridge: workloadInterfaces.bridge,
      network_id: networks.id,
      name: networks.name,
      kind: networks.kind,
    })
    .from(workloadInterfaces)
    .leftJoin(networks, eq(networks.id, workloadInterfaces.network_id))
    .where(eq(workloadInterfaces.workload_id, workloadId))
    .orderBy(asc(workloadInterfaces.name));
}
