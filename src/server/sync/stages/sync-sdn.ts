import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import {
  deleteSubnets,
  insertSubnets,
  listNetworksForSync,
  listSubnetsForSync,
  updateSubnets,
} from '../../inventory/queries/sync-networks';
import { planNetworks } from '../../inventory/reconcile/networks';
import { planSubnets } from '../../inventory/reconcile/subnets';
import { describeFailure, isLocal, type RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import type { InventoryReader, NetworkFact } from '../../providers/hypervisor/types';
import { type NodeView, reportNetworks, storeNetworks } from './sync-networks';

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
  const present = (await listNetworksForSync(db, clusterId)).filter(
    (row) => row.kind === 'vnet' || names.has(row.name),
  );
  const options = {
    complete: sdn?.networks.complete === true && view.complete,
    unreadNodes: view.unread,
    nullMeansUnknown: sdn === null,
  };
  const plan = planNetworks(facts, present, options, clock.now());
  await session.write((tx) => storeNetworks(tx, clusterId, plan));
  reportNetworks(session, plan);
  if (sdn === null) return;

  const networkIds = new Map((await listNetworksForSync(db, clusterId)).map((row) => [row.name, row.id]));
  const subnets = planSubnets(sdn.subnets, await listSubnetsForSync(db, clusterId), networkIds, clock.now());
  await session.write(async (tx) => {
    await deleteSubnets(
      tx,
      subnets.remove.map((row) => row.id),
    );
    await insertSubnets(
      tx,
      subnets.create.map((row) => ({ ...row, cluster_id: clusterId })),
    );
    await updateSubnets(tx, subnets.change);
    await updateSubnets(
      tx,
      subnets.mark.map(({ id, missing_since }) => ({ id, missing_since })),
    );
    if (subnets.create.length + subnets.change.length + subnets.remove.length + subnets.mark.length > 0)
      await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
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
