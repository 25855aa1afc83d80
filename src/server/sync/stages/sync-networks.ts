import { lockClusterNetworks } from '../../addresses/queries/ipam-space';
import type { Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import {
  deleteNetworks,
  insertNetworks,
  listNetworksForSync,
  updateNetworks,
} from '../../inventory/queries/sync-networks';
import {
  mergeNodeNetworks,
  type NetworkPlan,
  type PresentNetwork,
  planNetworks,
} from '../../inventory/reconcile/networks';
import type { PresentNode } from '../../inventory/reconcile/nodes';
import { describeFailure, isLocal, type RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { forEachConcurrent } from '../../lib/for-each-concurrent';
import type { Listing, NetworkFact } from '../../providers/hypervisor/types';

const NODES_AT_ONCE = 8;

/** What the nodes reported about their networks. */
export type NodeView = {
  /** Bridges and vnets by name, merged over the nodes. */
  facts: Map<string, NetworkFact>;
  /** Nodes whose networks are not all known. */
  unread: Set<string>;
  /** Whether every node answered completely: what none has does not exist. */
  complete: boolean;
};

async function queryNodes(session: RunSession, nodes: readonly PresentNode[], allNodes: boolean): Promise<NodeView> {
  const { report, provider } = session;
  const lists = new Map<string, Listing<NetworkFact> | null>();
  const members = nodes.filter((node) => node.missing_since === null);
  report.begin('networks', members.length);
  await forEachConcurrent(members, NODES_AT_ONCE, session.signal, async ({ name, status }) => {
    lists.set(name, null);
    report.step();
    if (status === 'offline') return;
    try {
      const listing = await provider.inventory.listNodeNetworks(name);
      lists.set(name, listing);
      if (listing.incompleteReason !== null) {
        report.error({
          code: 'incomplete',
          object: name,
          message: `The list of networks is incomplete: ${listing.incompleteReason}.`,
        });
      }
    } catch (error) {
      if (!isLocal(error)) throw error;
      report.error({ ...describeFailure(error), object: name });
    }
  });
  const unread = new Set([...lists].flatMap(([name, listing]) => (listing?.complete ? [] : [name])));
  return { facts: mergeNodeNetworks(lists), unread, complete: allNodes && unread.size === 0 };
}

/**
 * Plans the changes to the networks that `isOurs` selects, and stores them, in one transaction in which no one else
 * changes prefixes or addresses of the cluster: what someone is adding to a network keeps it.
 */
export async function storeNetworks(
  session: RunSession,
  facts: readonly NetworkFact[],
  isOurs: (row: PresentNetwork) => boolean,
  options: Parameters<typeof planNetworks>[2],
): Promise<void> {
  const { clusterId } = session;
  const plan = await session.write(async (tx) => {
    await lockClusterNetworks(tx, clusterId);
    const present = (await listNetworksForSync(tx, clusterId)).filter(isOurs);
    const planned = planNetworks(facts, present, options, clock.now());
    await storePlan(tx, clusterId, planned);
    return planned;
  });
  reportNetworks(session, plan);
}

/** Writes what the plan says. */
async function storePlan(tx: Tx, clusterId: string, plan: NetworkPlan): Promise<void> {
  await deleteNetworks(
    tx,
    plan.remove.map((row) => row.id),
  );
  await insertNetworks(
    tx,
    plan.create.map((row) => ({ ...row, cluster_id: clusterId })),
  );
  await updateNetworks(tx, plan.change);
  await updateNetworks(
    tx,
    plan.mark.map(({ id, missing_since }) => ({ id, missing_since })),
  );
  if (plan.create.length + plan.change.length + plan.remove.length + plan.mark.length > 0)
    await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
}

/** Counts the plan and reports names that cannot be used. */
function reportNetworks({ report }: RunSession, plan: NetworkPlan): void {
  report.count({
    seen: plan.create.length + plan.change.length + plan.kept,
    created: plan.create.length,
    changed: plan.change.length + plan.mark.length,
    removed: plan.remove.length,
  });
  for (const name of plan.taken) {
    report.error({
      code: 'name_taken',
      object: name,
      message: `Network ${name} of the cluster cannot be stored: the address discovery uses this name.`,
      remedy: 'Rename the bridge on the cluster.',
    });
  }
}

/**
 * Brings the bridges up to date: one network per name over all nodes.
 * @param allNodes whether the nodes given are all that the cluster has
 * @returns what the nodes told, vnets included
 */
export async function syncNetworks(
  session: RunSession,
  nodes: readonly PresentNode[],
  allNodes: boolean,
): Promise<NodeView> {
  const view = await queryNodes(session, nodes, allNodes);
  const facts = [...view.facts.values()].filter((fact) => fact.kind !== 'vnet');
  const names = new Set(facts.map((fact) => fact.name));
  const options = { complete: view.complete, unreadNodes: view.unread, nullMeansUnknown: false };
  await storeNetworks(session, facts, (row) => row.kind !== 'vnet' || names.has(row.name), options);
  return view;
}
