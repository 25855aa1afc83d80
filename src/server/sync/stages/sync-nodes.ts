import { formatHostPort } from '@/domain/net/host-port';
import { parseApiUrl } from '@/domain/net/url';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { type ClusterRow, updateCluster } from '../../inventory/queries/clusters';
import {
  deleteNodes,
  insertNodes,
  listNodesForSync,
  listOccupiedNodeIds,
  updateNodes,
} from '../../inventory/queries/sync-nodes';
import { sameValue } from '../../inventory/reconcile/diff';
import { type PresentNode, planNodes } from '../../inventory/reconcile/nodes';
import { type RunSession, SyncProblem } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import type { ClusterFact, NodeFact } from '../../providers/hypervisor/types';

/** The port on which a node's API listens unless it is translated. */
const API_PORT = 8006;

/**
 * Refuses to mix two clusters: their guests would look like deletions and reused numbers. A cluster is recognized by
 * its name or by any node that is already known.
 */
function assertSameCluster(
  cluster: ClusterRow,
  fact: ClusterFact,
  nodes: readonly NodeFact[],
  known: readonly PresentNode[],
) {
  if (known.length === 0) return;
  if (fact.name !== null && fact.name === cluster.provider_name) return;
  const names = new Set(known.map((node) => node.name));
  if (nodes.some((node) => names.has(node.name))) return;
  const found = fact.name === null ? `the single node ${nodes[0]?.name ?? ''}` : `the cluster ${fact.name}`;
  throw new SyncProblem(
    'different_cluster',
    `${cluster.api_url} is the address of ${found}, not of the cluster in this inventory. Nothing was changed.`,
    'Correct the address. If the cluster was replaced, delete it here and add the new one.',
  );
}

/**
 * Addresses for the time when the administrator's one does not answer. Where that is a node's own address, the others are
 * taken to use its port as well; behind a translated or proxied address they are asked where nodes listen by themselves.
 */
function entryPoints(apiUrl: string, nodes: readonly NodeFact[]): ClusterRow['entry_points'] {
  const api = parseApiUrl(apiUrl);
  const ofNode = !('reason' in api) && nodes.some((node) => node.address === api.host || node.name === api.host);
  const port = ofNode ? api.port : API_PORT;
  return nodes
    .flatMap(({ name, address, tls_fingerprint: fingerprint }) =>
      address === null ? [] : [{ node: name, url: `https://${formatHostPort(address, port)}`, fingerprint }],
    )
    .sort((a, b) => (a.node < b.node ? -1 : 1));
}

/** What a sync learns about the cluster itself; null in the answer keeps what was learnt, except where unknown matters. */
function computeClusterUpdate(cluster: ClusterRow, fact: ClusterFact, nodes: readonly NodeFact[]): Partial<ClusterRow> {
  const entry_points = entryPoints(cluster.api_url, nodes);
  const desired: Partial<ClusterRow> = {
    provider_version: fact.version,
    provider_name: fact.name ?? cluster.provider_name,
    quorate: fact.quorate,
    firewall_enabled: fact.firewall_enabled,
    missing_write_privileges: fact.missing_write_privileges,
    tls_ca: fact.tls_ca ?? cluster.tls_ca,
    entry_points: entry_points.length > 0 ? entry_points : cluster.entry_points,
  };
  return Object.fromEntries(
    Object.entries(desired).filter(([name, value]) => !sameValue(value, cluster[name as keyof ClusterRow])),
  );
}

/**
 * Updates the nodes and what is known about the cluster as a whole.
 * @returns the nodes as they are stored now
 */
export async function syncNodes(
  session: RunSession,
  cluster: ClusterRow,
  fact: ClusterFact,
): Promise<{ nodes: PresentNode[]; complete: boolean }> {
  const { report, provider, clusterId } = session;
  report.begin('nodes');
  const listing = await provider.inventory.listNodes();
  if (listing.items.length === 0) {
    throw new SyncProblem(
      'bad_answer',
      'The cluster lists no nodes, which is not possible. Nothing was changed.',
      'Check that the address leads directly to a node of the cluster, without a proxy.',
    );
  }
  const present = await listNodesForSync(db, clusterId);
  assertSameCluster(cluster, fact, listing.items, present);
  const occupied = await listOccupiedNodeIds(db, clusterId);
  const plan = planNodes(listing, present, occupied, clock.now());
  const create = plan.create.map((node) => ({ ...node, id: newId() }));
  const facts = computeClusterUpdate(cluster, fact, listing.items);
  await session.write(async (tx) => {
    await insertNodes(
      tx,
      create.map((node) => ({ ...node, cluster_id: clusterId })),
    );
    await updateNodes(tx, plan.change);
    await deleteNodes(
      tx,
      plan.remove.map((node) => node.id),
    );
    if (Object.keys(facts).length > 0) {
      await updateCluster(tx, clusterId, facts);
      await publishEvent(tx, { type: 'cluster.changed', cluster_id: clusterId });
    }
    if (create.length + plan.change.length + plan.remove.length > 0)
      await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
  });
  report.count({
    seen: listing.items.length,
    created: create.length,
    changed: plan.change.length,
    removed: plan.remove.length,
  });
  if (listing.incompleteReason !== null)
    report.error({ code: 'incomplete', message: `The list of nodes is incomplete: ${listing.incompleteReason}.` });
  for (const node of listing.items.filter((item) => item.status === 'offline')) {
    report.error({
      code: 'node_offline',
      object: node.name,
      message: `${node.name} is offline; its workloads and networks keep their last known state.`,
    });
  }
  const gone = new Set([...plan.remove, ...plan.change].map((node) => node.id));
  return {
    nodes: [...present.filter((node) => !gone.has(node.id)), ...plan.change, ...create],
    complete: listing.complete,
  };
}
