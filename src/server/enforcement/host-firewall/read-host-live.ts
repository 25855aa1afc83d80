import type { Cluster } from '@/domain/cluster';
import { completeLiveNode, type LiveNode } from '@/domain/firewall/live-state';
import { possibleImplementations } from '@/domain/firewall/node-options';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import { db } from '../../db/client';
import { findCluster } from '../../inventory/queries/clusters';
import { notFound } from '../../lib/refusals';
import { readLive } from '../guest-firewall/live-reader';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { listClusterNodes, listClusterVnets, type VnetOfCluster } from '../queries/firewall-snapshots';

/** A node of the inventory with what was read from it. Null: nothing is known about it. */
export type HostNode = { readonly id: string; readonly name: string; readonly live: LiveNode | null };

/** The firewall of a data center with its nodes and VNets, read a moment ago. */
export type HostLive = {
  readonly cluster: Pick<Cluster, 'id' | 'name'>;
  /** Id of this installation; it marks managed rules. */
  readonly instance: string;
  readonly state: ClusterSnapshot;
  readonly nodes: readonly HostNode[];
  readonly vnets: readonly VnetOfCluster[];
  /** Time of the oldest snapshot used for these nodes. */
  readonly readAt: (nodes: readonly HostNode[]) => string;
};

/** How a node filters; null: not known. */
export function getNodeImplementation({ live }: HostNode): 'iptables' | 'nftables' | null {
  const [first, second] = possibleImplementations(live);
  return second === undefined ? first : null;
}

/**
 * Reads what filters the nodes of a cluster.
 * @throws AppError `not_found`
 */
export async function readHostLive(clusterId: string): Promise<HostLive> {
  const [cluster, nodeRows, vnets] = await Promise.all([
    findCluster(db, clusterId),
    listClusterNodes(db, clusterId),
    listClusterVnets(db, clusterId),
  ]);
  if (!cluster) throw notFound('cluster');
  const [{ cluster: snapshot }, { inputs }] = await Promise.all([readLive(clusterId, []), readFirewallState()]);
  const { state, read_at } = snapshot;
  const nodes = nodeRows.map(
    ({ id, name, nftables }): HostNode => ({ id, name, live: completeLiveNode(state, name, nftables) }),
  );
  return {
    cluster,
    instance: inputs.instance,
    state,
    nodes,
    vnets,
    readAt(used) {
      const fromInventory = used.some(({ live }) => live?.implementation !== undefined);
      const synced = fromInventory ? cluster.last_sync_at : null;
      return synced !== null && Date.parse(synced) < Date.parse(read_at) ? synced : read_at;
    },
  };
}

/** The cluster as it was read, with what the inventory knows of nodes that could not be read. */
export function completedCluster({ state, nodes }: HostLive): ClusterSnapshot {
  const known = nodes.flatMap(({ name, live }) => (live ? [[name, live] as const] : []));
  return { ...state, ...(known.length > 0 && { nodes: { ...state.nodes, ...Object.fromEntries(known) } }) };
}
