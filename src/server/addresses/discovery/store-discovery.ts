import { DISCOVERED_NETWORK } from '@/domain/ipam/discovery';
import { publishEvent } from '../../events/event-hub';
import { insertSubnets } from '../../inventory/queries/sync-networks';
import type { RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import type { SdnLease } from '../../providers/hypervisor/types';
import {
  changeAddresses,
  closeConflicts,
  deleteEmptySubnets,
  insertAddresses,
  insertConflicts,
  insertDiscoveredNetwork,
  loadAddressSpace,
  lockWorkloads,
  reopenConflicts,
  updateAddressesSeen,
} from '../queries/discovery';
import { lockClusterNetworks } from '../queries/ipam-space';
import { deleteAddressRows } from '../queries/ipam-writes';
import { listOpenSightings, storeSightings } from '../queries/sightings';
import { type DiscoveryPlan, orderChanges } from './discovery-plan';
import type { GuestReading } from './observe';
import { planDiscovery } from './plan-discovery';

type Read = { readings: readonly GuestReading[]; leases: { items: readonly SdnLease[]; complete: boolean } };

/**
 * Plans the changes that follow from a discovery and stores them, in one transaction in which no one else changes
 * prefixes or addresses of the cluster.
 */
export async function storeDiscovery(session: RunSession, read: Read): Promise<void> {
  const { clusterId: cluster_id, report } = session;
  const { plan, madeNetwork } = await session.write(async (tx) => {
    const networks = await lockClusterNetworks(tx, cluster_id);
    const present = await lockWorkloads(tx, cluster_id);
    const space = await loadAddressSpace(tx, cluster_id);
    const discovered = networks.find((network) => network.name === DISCOVERED_NETWORK);
    const discoveredNetworkId = discovered?.id ?? newId();
    const plan: DiscoveryPlan = planDiscovery({
      // Workloads that a sync removed while their guests were read have no addresses.
      readings: read.readings.filter(({ workload_id }) => present.has(workload_id)),
      leases: read.leases,
      ...space,
      sightings: await listOpenSightings(tx, cluster_id),
      networks: new Map(networks.map((network) => [network.name, network.id])),
      discoveredNetworkId,
      newId,
      now: clock.now(),
    });
    const madeNetwork =
      !discovered &&
      plan.seen > 0 &&
      (await insertDiscoveredNetwork(tx, { id: discoveredNetworkId, cluster_id, name: DISCOVERED_NETWORK }));
    await insertSubnets(
      tx,
      plan.subnets.create.map((row) => ({
        ...row,
        cluster_id,
        network_id: discoveredNetworkId,
        source: 'discovery' as const,
      })),
    );
    // What goes makes room before others come to the same place.
    await deleteAddressRows(
      tx,
      plan.addresses.remove.map((row) => row.id),
    );
    for (const rows of orderChanges(plan.addresses.change, space.addresses))
      await changeAddresses(
        tx,
        rows.map(({ address: _, ...row }) => row),
      );
    await insertAddresses(
      tx,
      plan.addresses.create.map((row) => ({ ...row, cluster_id })),
    );
    await updateAddressesSeen(tx, plan.addresses.note);
    await storeSightings(tx, cluster_id, plan.sightings, clock.now());
    await insertConflicts(
      tx,
      plan.conflicts.create.map((row) => ({ ...row, cluster_id })),
    );
    await reopenConflicts(
      tx,
      plan.conflicts.reopen.map((row) => ({ ...row, cluster_id })),
    );
    await closeConflicts(
      tx,
      plan.conflicts.gone.map((row) => row.id),
    );
    await deleteEmptySubnets(tx, plan.subnets.remove);
    if (madeNetwork || isChange(plan)) await publishEvent(tx, { type: 'ipam.changed', cluster_id });
    return { plan, madeNetwork };
  });
  const { addresses, subnets, conflicts } = plan;
  report.begin('addresses');
  report.count({
    seen: plan.seen,
    created: addresses.create.length + subnets.create.length + Number(madeNetwork),
    changed: addresses.change.length,
    removed: addresses.remove.length + subnets.remove.length,
    skipped: plan.ignored,
  });
  report.begin('conflicts');
  report.count({
    seen: plan.open,
    created: conflicts.create.length + conflicts.reopen.length,
    changed: conflicts.gone.length,
  });
}

const isChange = ({ addresses, subnets, conflicts }: DiscoveryPlan): boolean =>
  [
    addresses.create,
    addresses.change,
    addresses.remove,
    subnets.create,
    subnets.remove,
    conflicts.create,
    conflicts.reopen,
    conflicts.gone,
  ].some((list) => list.length > 0);
