import { lockClusterNetworks, rehomeAddresses } from '../../addresses/queries/ipam-space';
import { publishEvent } from '../../events/event-hub';
import { deleteSubnets, insertSubnets, listSubnetsForSync, updateSubnets } from '../../inventory/queries/sync-networks';
import { planSubnets } from '../../inventory/reconcile/subnets';
import { describeFailure, isLocal, type RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import type { InventoryReader, NetworkFact } from '../../providers/hypervisor/types';
import { type NodeView, storeNetworks } from './sync-networks';

type Sdn = Awaited<ReturnType<InventoryReader['listSdn']>>;

async function querySdn({ report, provider }: RunSession): Promise<Sdn | null> {
  try {
    const sdn = await provider.inventory.listSdn();
    for (const reason of new Set([sdn.networks.incompleteReason, sdn.subnets.incompleteReason])) {
      if (reason !== null)
        report.error({ code: 'incomplete', message: `The list of virtual networks is incomplete: ${reason}.` });
    }
    return sdn;
  } catch (error) {
    if (!isLocal(error)) throw error;
    report.error(describeFailure(error));
    return null;
  }
}

/** The vnets: what the SDN reports for each, and on which nodes it was seen. */
function vnetFacts(sdn: Sdn | null, view: NodeView): NetworkFact[] {
  const seen = [...view.facts.values()].filter((fact) => fact.kind === 'vnet');
  const bySdn = new Map(sdn?.networks.items.map((fact) => [fact.name, fact]));
  const merged = new Map(seen.map((fact) => [fact.name, fact]));
  for (const [name, fact] of bySdn) {
    // A bridge of that name already exists on a node; it was stored as a bridge.
    if (view.facts.get(name)?.kind !== 'vnet' && view.facts.has(name)) continue;
    const node_names = [...new Set([...fact.node_names, ...(merged.get(name)?.node_names ?? [])])];
    merged.set(name, { ...fact, node_names });
  }
  return [...merged.values()];
}

/** Brings the virtual networks and their subnets up to date. Without the right to read the SDN what is known is kept. */
export async function syncSdn(session: RunSession, view: NodeView): Promise<void> {
  const { report, clusterId } = session;
  report.begin('sdn');
  const sdn = await querySdn(session);
  const facts = vnetFacts(sdn, view);
  const names = new Set(facts.map((fact) => fact.name));
  const options = {
    complete: sdn?.networks.complete === true && view.complete,
    unreadNodes: view.unread,
    nullMeansUnknown: !sdn?.networks.complete,
  };
  await storeNetworks(session, facts, (row) => row.kind === 'vnet' || names.has(row.name), options);
  if (sdn === null) return;

  // An address or a range that someone is adding to a subnet keeps it.
  const subnets = await session.write(async (tx) => {
    const networkIds = new Map((await lockClusterNetworks(tx, clusterId)).map((row) => [row.name, row.id]));
    const subnets = planSubnets(sdn.subnets, await listSubnetsForSync(tx, clusterId), networkIds, clock.now());
    await deleteSubnets(
      tx,
      subnets.remove.map((row) => row.id),
    );
    await insertSubnets(
      tx,
      subnets.create.map((row) => ({ ...row, cluster_id: clusterId })),
    );
    for (const [networkId, created] of groupBy(subnets.create, (row) => row.network_id)) {
      const { moved } = await rehomeAddresses(
        tx,
        networkId,
        created.map((row) => row.cidr),
      );
      if (moved > 0) await publishEvent(tx, { type: 'ipam.changed', cluster_id: clusterId });
    }
    await updateSubnets(tx, subnets.change);
    await updateSubnets(
      tx,
      subnets.mark.map(({ id, missing_since }) => ({ id, missing_since })),
    );
    if (subnets.create.length + subnets.change.length + subnets.remove.length + subnets.mark.length > 0)
      await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
    return subnets;
  });
  report.count({
    seen: sdn.subnets.items.length,
    created: subnets.create.length,
    changed: subnets.change.length + subnets.mark.length,
    removed: subnets.remove.length,
  });
  for (const { fact, reason } of subnets.refused)
    report.error({ code: 'unreadable_subnet', object: `${fact.network} ${fact.cidr}`.slice(0, 200), message: reason });
}
