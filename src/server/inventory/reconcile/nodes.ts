import type { Listing, NodeFact } from '../../providers/hypervisor/types';
import { diffByKey, sameFields } from './diff';
import { startedAt } from './guests';

/** The columns of a node that a sync writes. */
export type NodeState = {
  name: string;
  status: NodeFact['status'];
  address: string | null;
  provider_version: string | null;
  nftables: boolean | null;
  tls_fingerprint: string | null;
  cpu_count: number | null;
  memory_bytes: number | null;
  started_at: string | null;
  fault: string | null;
  missing_since: string | null;
};
export type PresentNode = NodeState & { id: string };

export type NodePlan = { create: NodeState[]; change: PresentNode[]; remove: PresentNode[]; kept: number };

/** A node that left the cluster stays visible this long, so that users can see where it went. */
export const NODE_REMOVAL_MS = 24 * 60 * 60 * 1000;

function describeFault(status: NodeFact['status']): string | null {
  if (status === 'online') return null;
  return status === 'offline' ? 'The node is offline.' : 'The cluster does not know the status of the node.';
}

function syncedState(fact: NodeFact, known: NodeState | undefined, now: Date): NodeState {
  return {
    name: fact.name,
    status: fact.status,
    address: fact.address ?? known?.address ?? null,
    provider_version: fact.provider_version ?? known?.provider_version ?? null,
    nftables: fact.nftables ?? known?.nftables ?? null,
    tls_fingerprint: fact.tls_fingerprint ?? known?.tls_fingerprint ?? null,
    cpu_count: fact.cpu_count ?? known?.cpu_count ?? null,
    memory_bytes: fact.memory_bytes ?? known?.memory_bytes ?? null,
    started_at: fact.status === 'offline' ? null : startedAt(fact.uptime_seconds, known?.started_at ?? null, now),
    fault: describeFault(fact.status),
    missing_since: null,
  };
}

/**
 * Compares the nodes listed with those stored. A node that is not listed is marked missing; it is removed when complete
 * lists have been without it for a day and no guest is placed on it any more (`occupied`: ids of nodes with guests).
 */
export function planNodes(
  listing: Listing<NodeFact>,
  present: readonly PresentNode[],
  occupied: ReadonlySet<string>,
  now: Date,
): NodePlan {
  const known = new Map(present.map((node) => [node.name, node]));
  const desired = listing.items.map((fact) => syncedState(fact, known.get(fact.name), now));
  const byName = (node: NodeState) => node.name;
  const diff = diffByKey(desired, present, { desired: byName, present: byName }, sameFields);
  const plan: NodePlan = {
    create: diff.create,
    change: diff.change.map(({ present: row, desired: state }) => ({ ...state, id: row.id })),
    remove: [],
    kept: diff.keep.length,
  };
  for (const node of diff.remove) {
    const since = node.missing_since;
    if (listing.complete && since && now.getTime() - Date.parse(since) >= NODE_REMOVAL_MS && !occupied.has(node.id))
      plan.remove.push(node);
    else if (since === null)
      plan.change.push({
        ...node,
        status: 'unknown',
        fault: 'The node is no longer a member of the cluster.',
        missing_since: now.toISOString(),
      });
    else plan.kept += 1;
  }
  return plan;
}
