import { recordAudit } from '../../../audit/record';
import { systemScope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { publishEvent } from '../../../events/publish-event';
import { clock } from '../../../lib/clock';
import { newId } from '../../../lib/ids';
import { logger } from '../../../lib/logger';
import { countSyncStage } from '../../../lib/metrics';
import { isDatabaseDown } from '../../../lib/pg-errors';
import { ProviderError } from '../../../providers/hypervisor/errors';
import type { HypervisorProvider, Listing, SdnLease } from '../../../providers/hypervisor/types';
import { type ClusterRow, lockClusterRow } from '../../../repositories/clusters';
import { listInterfacesOf } from '../../../repositories/sync-interfaces';
import { listNodesForSync } from '../../../repositories/sync-nodes';
import { claimRun, finishRun, releaseRun, type SyncRunRow } from '../../../repositories/sync-runs';
import { listWorkloadsForSync, type SyncedWorkload } from '../../../repositories/sync-workloads';
import { clusterAccess } from '../../clusters/cluster-access';
import { openProvider } from '../../clusters/open-provider';
import { describeFailure, type Failure, isLocal } from '../../clusters/sync/describe-failure';
import { RunSession } from '../../clusters/sync/run-session';
import { type RenewedCertificate, storeRenewedPin } from '../../clusters/sync/store-renewed-pin';
import { RunLost } from '../../clusters/sync/sync-problem';
import { recordAutoSync } from '../../settings/record-auto-sync';
import { isReadable, readGuests } from './read-guests';
import { storeDiscovery } from './store-discovery';

type Context = {
  /** Aborts when the worker has to end; the run then waits for another one. */
  signal: AbortSignal;
  /** Replaced by tests. */
  openProvider?: typeof openProvider;
};
type Claimed = { cluster: ClusterRow; run: SyncRunRow & { lease_owner: string } };

const scope = systemScope('ipam:discover', 'address discovery');

/** Takes the cluster's waiting run. Null when there is none, or when another worker is at it. */
function claim(clusterId: string): Promise<Claimed | null> {
  return db.transaction(async (tx) => {
    const cluster = await lockClusterRow(tx, clusterId);
    if (!cluster) return null;
    const owner = newId();
    const run = await claimRun(tx, clusterId, owner, 'ipam');
    if (!run) return null;
    await publishEvent(tx, { type: 'sync_run.changed', cluster_id: clusterId, run_id: run.id });
    return { cluster, run: { ...run, lease_owner: owner } };
  });
}

const NO_LEASES: Listing<SdnLease> = { items: [], complete: false, incompleteReason: null };

async function readLeases({ report, provider }: RunSession): Promise<Listing<SdnLease>> {
  report.begin('leases');
  try {
    const leases = await provider.addresses.listLeases();
    report.count({ seen: leases.items.length });
    if (leases.incompleteReason !== null) {
      report.error({
        code: 'incomplete',
        message: `The list of leases is not complete: ${leases.incompleteReason}.`,
        remedy: 'Give the token the role PVEAuditor on /sdn/zones, or on /.',
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
  for (const nic of await listInterfacesOf(
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
        message: `${name} is offline; the addresses of its guests keep their last known state.`,
      });
  }
  if (workloads.length === 0) {
    report.error({
      code: 'no_inventory',
      message: 'No guests of this cluster are known, so there was nothing to look through.',
      remedy: 'Sync the inventory of the cluster first.',
    });
  }
  const readings = await readGuests(session, guestsOf, macsOf);
  await storeDiscovery(session, { readings, leases });
  report.begin('finish');
}

/** Ends the run, with an audit record of what came of it. */
async function finish({ cluster, run }: Claimed, session: RunSession | null, failure: Failure | null): Promise<void> {
  const report = session?.report;
  const errors = [...(report?.errors ?? [])];
  if (failure) errors.push({ stage: report?.stage ?? 'connect', ...failure });
  const counters = report?.counters ?? {};
  for (const [stage, done] of Object.entries(counters)) countSyncStage(run.kind, stage, done);
  const at = clock.now().toISOString();
  await db.transaction(async (tx) => {
    if (!(await lockClusterRow(tx, cluster.id))) return;
    const outcome = {
      status: failure ? ('failed' as const) : ('ok' as const),
      stage: failure ? (report?.stage ?? 'connect') : null,
      progress_done: report?.done ?? 0,
      progress_total: report?.total ?? null,
      counters,
      errors,
    };
    if (!(await finishRun(tx, run, outcome, at))) return;
    if (!failure && run.trigger === 'auto') await recordAutoSync(tx, 'ipam', at);
    await publishEvent(tx, { type: 'sync_run.changed', cluster_id: cluster.id, run_id: run.id });
    await recordAudit(tx, scope, {
      action: failure ? 'ipam.discovery_failed' : 'ipam.discovered',
      object_kind: 'cluster',
      object_id: cluster.id,
      object_name: cluster.name,
      after: {
        run_id: run.id,
        trigger: run.trigger,
        counters,
        errors_total:
          Object.values(counters).reduce((sum, { errors: count }) => sum + count, 0) + Number(failure !== null),
        ...failure,
      },
    });
  });
}

/** Puts the run back for another worker. */
async function release({ cluster, run }: Claimed): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockClusterRow(tx, cluster.id))) return;
    if (await releaseRun(tx, run))
      await publishEvent(tx, { type: 'sync_run.changed', cluster_id: cluster.id, run_id: run.id });
  });
}

/**
 * Carries out the discovery that waits for this cluster; without one it does nothing. A failure of the cluster is an
 * outcome, stored with its remedy, and no error.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the run for another worker
 */
export async function runDiscovery(clusterId: string, context: Context): Promise<void> {
  const claimed = await claim(clusterId);
  if (!claimed) return;
  const { cluster, run } = claimed;
  const log = logger.child({ cluster_id: cluster.id, run_id: run.id });
  let provider: HypervisorProvider | undefined;
  let session: RunSession | null = null;
  try {
    const access = clusterAccess(cluster);
    const renewals: RenewedCertificate[] = [];
    provider = (context.openProvider ?? openProvider)(access, { onCertificateRenewed: (item) => renewals.push(item) });
    session = new RunSession(run, access, provider, context.signal);
    // Whoever gives up does not wait for answers that are on their way.
    session.signal.addEventListener('abort', () => provider?.close(), { once: true });
    session.start();
    await reconcile(session, cluster);
    await storeRenewedPin(session, cluster, renewals);
    await session.stop();
    await finish(claimed, session, null);
  } catch (error) {
    await session?.stop();
    if (context.signal.aborted) {
      await release(claimed);
      throw context.signal.reason;
    }
    const lost = session?.signal.aborted ? session.signal.reason : error;
    if (lost instanceof RunLost) return log.warn({ reason: lost.message }, 'discovery given up');
    // A refused connection to the cluster looks like one to the database from its cause alone.
    if (!(error instanceof ProviderError) && isDatabaseDown(error)) throw error;
    const failure = describeFailure(error);
    if (failure.code === 'internal') log.error({ err: error }, 'discovery failed unexpectedly');
    await finish(claimed, session, failure);
  } finally {
    await session?.stop();
    provider?.close();
  }
}
