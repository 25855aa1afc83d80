import { isDeepStrictEqual } from 'node:util';
import { guestCompileFailures, summarizeCompileFailures } from '@/domain/firewall/compile-failure';
import { completeLiveNode, type LiveNode } from '@/domain/firewall/live-state';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import { db } from '../../db/client';
import {
  listGuestSnapshotPage,
  listNodesToCompile,
  type NodeImplementations,
  setCompileFailures,
} from '../queries/firewall-snapshots';

const PAGE = 500;
const UNKNOWN_NODE: LiveNode = { options: null, networks: null, rules: null };

/** Guests refer to aliases and groups of the cluster: when these change, so may what the guests contribute. */
async function refreshGuests(clusterId: string, cluster: ClusterSnapshot): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof listGuestSnapshotPage>> = await listGuestSnapshotPage(
      db,
      clusterId,
      after,
      PAGE,
    );
    for (const { workload_id, vmid, state, compile_failures } of page) {
      const failures = guestCompileFailures(cluster, vmid, state);
      if (JSON.stringify(failures) !== JSON.stringify(compile_failures)) {
        await setCompileFailures(db, workload_id, failures);
      }
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.workload_id ?? null;
  }
}

/** Of what guests refer to, as it is stored: the database keeps the fields of an object in an order of its own. */
const readShared = (cluster: ClusterSnapshot | null): unknown =>
  JSON.parse(JSON.stringify([cluster?.aliases, cluster?.groups, cluster?.ipsets]));

/**
 * The snapshot of a cluster with what keeps the firewall of each node from being compiled, from all snapshots of its guests; and which
 * nodes filter with nftables. Call it after these were stored.
 * @param before the snapshot stored last: how long a node has been failing is taken from it
 */
export async function withCompileFailures(
  clusterId: string,
  cluster: ClusterSnapshot,
  before: ClusterSnapshot | null,
  readAt: string,
): Promise<{ state: ClusterSnapshot; nftables: NodeImplementations }> {
  const unread = cluster.aliases === null || cluster.groups === null || cluster.ipsets === null;
  if (!unread && !isDeepStrictEqual(readShared(cluster), readShared(before))) await refreshGuests(clusterId, cluster);
  const inventory = await listNodesToCompile(db, clusterId);
  const nftables = new Map(inventory.map((node) => [node.name, node.nftables]));
  const nodes: Record<string, LiveNode> = { ...cluster.nodes };
  let failing = false;
  for (const name of new Set([...nftables.keys(), ...Object.keys(nodes)])) {
    const contributed = inventory.find((known) => known.name === name)?.contributed.flat() ?? [];
    const node = completeLiveNode(cluster, name, nftables.get(name) ?? null);
    const { failures, maybe } = summarizeCompileFailures(cluster, node, contributed);
    if (failures.length === 0 && !maybe) continue;
    failing = true;
    const since = before?.nodes?.[name]?.compile_failure?.since ?? readAt;
    nodes[name] = {
      ...(nodes[name] ?? UNKNOWN_NODE),
      ...(maybe ? { compile_unknown: true } : { compile_failure: { since, failures } }),
    };
  }
  return { state: failing ? { ...cluster, nodes } : cluster, nftables };
}
