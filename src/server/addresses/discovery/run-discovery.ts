import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { executeClusterRun, type RunContext, type RunEnd, runChanged } from '../../inventory/cluster-run';
import type { ClusterRow } from '../../inventory/queries/clusters';
import { listWorkloadInterfaces, listWorkloadsForSync, type SyncedWorkload } from '../../inventory/queries/sync-guests';
import { listNodesForSync } from '../../inventory/queries/sync-nodes';
import { describeFailure, isLocal, type RunSession } from '../../inventory/run-session';
import type { Listing, SdnLease } from '../../providers/hypervisor/types';
import { recordAutoSync } from '../../settings/settings';
import { isReadable, readGuests } from './read-guests';
import { storeDiscovery } from './store-discovery';

const scope = systemScope('ipam:discover', 'address discovery');

const NO_LEASES: Listing<SdnLease> = { items: [], complete: false, incompleteReason: null };

async function readLeases({ report, provider }: RunSession): Promise<Listing<SdnLease>> {
  report.begin('leases');
  try {
    const leases = await provider.addresses.listLeases();
    report.count({ seen: leases.items.length });
    if (leases.incompleteReason !== null) {
      report.error({
        code: 'incomplete',
        message: `The list of DHCP leases is incomplete: ${leases.incompleteReason}.`,
        remedy: 'Grant the token the role PVEAuditor on /sdn/zones, or on /.',
      });
    }
    return leases;
  } catch (error) {
    if (!isLocal(error)) throw error;
    report.error(describeFailure(error));
    return NO_LEASES;
  }
}

/** Everything a discovery does, in the order of IPAM_STAGES. It may be stopped after any call and run again from the start. */
async function reconcile(session: RunSession, cluster: ClusterRow): Promise<void> {
  const { report, provider } = session;
  report.begin('connect');
  // One cheap call first: a cluster that does not answer at all fails here, with its remedy.
  const nodes = await provider.inventory.listNodes();
  const online = new Set(nodes.items.filter(({ status }) => status !== 'offline').map(({ name }) => name));
  const leases = await readLeases(session);

  const workloads = await listWorkloadsForSync(db, cluster.id);
  const nameOf = new Map((await listNodesForSync(db, cluster.id)).map((node) => [node.id, node.name]));
  const guestsOf = new Map<string, SyncedWorkload[]>();
  const readable: SyncedWorkload[] = [];
  let skipped = 0;
  for (const workload of workloads) {
    const node = nameOf.get(workload.node_id ?? '');
    if (!isReadable(workload) || node === undefined || !online.has(node)) {
      skipped += 1;
      continue;
    }
    readable.push(workload);
    const guests = guestsOf.get(node);
    if (guests) guests.push(workload);
    else guestsOf.set(node, [workload]);
  }
  const macsOf = new Map<string, { mac: string | null }[]>();
  for (const nic of await listWorkloadInterfaces(
    db,
    readable.map(({ id }) => id),
  ))
    macsOf.set(nic.workload_id, [...(macsOf.get(nic.workload_id) ?? []), nic]);

  report.begin('guests', readable.length);
  report.count({ skipped });
  for (const { name, status } of nodes.items) {
    if (status === 'offline')
      report.error({
        code: 'node_offline',
        object: name,
        message: `${name} is offline; the addresses of its workloads keep their last known state.`,
      });
  }
  if (workloads.length === 0) {
    report.error({
      code: 'no_inventory',
      message: 'The inventory has no workloads of this cluster, so there was nothing to discover.',
      remedy: 'Sync the cluster first.',
    });
  }
  const readings = await readGuests(session, guestsOf, macsOf);
  await storeDiscovery(session, { readings, leases });
  report.begin('finish');
}

/** Leaves an audit record of what came of the run. */
async function storeOutcome(tx: Tx, { cluster, run, report, failure, at }: RunEnd): Promise<void> {
  if (!failure && run.trigger === 'auto') await recordAutoSync(tx, 'ipam', at);
  const { counters } = report;
  await recordAudit(tx, scope, {
    action: failure ? 'ipam.discovery_failed' : 'ipam.discovered',
    object_kind: 'cluster',
    object_id: cluster.id,
    object_name: cluster.name,
    after: {
      run_id: run.id,
      trigger: run.trigger,
      counters,
      errors_total: Object.values(counters).reduce((sum, { errors }) => sum + errors, 0) + Number(failure !== null),
      ...failure,
    },
  });
}

/**
 * Carries out the discovery that waits for this cluster; without one it does nothing. A failure of the cluster is an
 * outcome, stored with its remedy, and no error.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the run for another worker
 */
export const runDiscovery = (clusterId: string, context: RunContext): Promise<void> =>
  executeClusterRun(
    { kind: 'ipam', what: 'discovery', reconcile, claimed: runChanged, ended: storeOutcome },
    clusterId,
    context,
  );
