import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { countSyncStage } from '../../lib/metrics';
import { isDatabaseDown } from '../../lib/pg-errors';
import { ProviderError } from '../../providers/hypervisor/errors';
import type { HypervisorProvider } from '../../providers/hypervisor/types';
import { type ClusterRow, lockClusterRow, updateCluster } from '../../repositories/clusters';
import { linkInterfaces } from '../../repositories/sync-interfaces';
import { claimRun, finishRun, releaseRun, type SyncRunRow } from '../../repositories/sync-runs';
import { applyMappingRules } from '../administration/apply-mapping-rules';
import { startDeployments } from '../deployments/start-deployments';
import { recordAutoSync } from '../settings/record-auto-sync';
import { clusterAccess } from './cluster-access';
import { openProvider } from './open-provider';
import { describeFailure, type Failure } from './sync/describe-failure';
import { RunSession } from './sync/run-session';
import { type RenewedCertificate, storeRenewedPin } from './sync/store-renewed-pin';
import { syncGuests } from './sync/sync-guests';
import { syncInterfaces } from './sync/sync-interfaces';
import { syncNetworks } from './sync/sync-networks';
import { syncNodes } from './sync/sync-nodes';
import { RunLost } from './sync/sync-problem';
import { syncSdn } from './sync/sync-sdn';

type Context = {
  /** Aborts when the worker has to end; the run then waits for another one. */
  signal: AbortSignal;
  /** Replaced by tests. */
  openProvider?: typeof openProvider;
};
type Claimed = { cluster: ClusterRow; run: SyncRunRow & { lease_owner: string } };

const scope = systemScope('cluster:sync', 'cluster sync');

/** Takes the cluster's waiting run. Null when there is none, or when another worker is at it. */
function claim(clusterId: string): Promise<Claimed | null> {
  return db.transaction(async (tx) => {
    const cluster = await lockClusterRow(tx, clusterId);
    if (!cluster) return null;
    const owner = newId();
    const run = await claimRun(tx, clusterId, owner);
    if (!run) return null;
    await updateCluster(tx, clusterId, { sync_status: 'running' });
    await publishEvent(tx, { type: 'cluster.changed', cluster_id: clusterId });
    return { cluster, run: { ...run, lease_owner: owner } };
  });
}

/** Everything a sync does, in the order of SYNC_STAGES. It may be stopped after any call and run again from the start. */
async function reconcile(session: RunSession, cluster: ClusterRow): Promise<void> {
  const { report, provider, run } = session;
  report.begin('connect');
  const fact = await provider.inventory.readCluster();
  const { nodes, complete } = await syncNodes(session, cluster, fact);
  const view = await syncNetworks(session, nodes, complete);
  await syncSdn(session, view);
  await syncGuests(session, nodes);
  await applyMapping(session);
  await syncInterfaces(session, nodes, run.trigger !== 'auto');
  report.begin('finish');
  // Cards whose config was not read follow networks that came or went.
  const linked = await session.write((tx) => linkInterfaces(tx, cluster.id));
  report.count({ changed: linked });
  // A guest that turned out to be another one has come without a project.
  await applyMapping(session);
}

/** Puts new guests, and those whose pool or tags changed, where the mapping rules want them. */
async function applyMapping(session: RunSession): Promise<void> {
  const within = { clusterId: session.clusterId };
  const { changed, started } = await session.write((tx) => applyMappingRules(tx, scope, within));
  await startDeployments(started);
  session.report.count({ changed });
}

/** Ends the run and notes the outcome at the cluster, with an audit record for a failure and for every change. */
async function finish({ cluster, run }: Claimed, session: RunSession | null, failure: Failure | null): Promise<void> {
  const report = session?.report;
  const at = clock.now().toISOString();
  const errors = [...(report?.errors ?? [])];
  if (failure) errors.push({ stage: report?.stage ?? 'connect', ...failure });
  const counters = report?.counters ?? {};
  for (const [stage, done] of Object.entries(counters)) countSyncStage(run.kind, stage, done);
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
    await updateCluster(tx, cluster.id, {
      sync_status: outcome.status,
      last_sync_error: failure ? [failure.message, failure.remedy].filter(Boolean).join(' ') : null,
      last_sync_error_code: failure?.code ?? null,
      ...(failure ? {} : { last_sync_at: at }),
    });
    if (!failure && run.trigger === 'auto') await recordAutoSync(tx, 'node', at);
    await publishEvent(tx, { type: 'sync_run.changed', cluster_id: cluster.id, run_id: run.id });
    await publishEvent(tx, { type: 'cluster.changed', cluster_id: cluster.id });
    const object = { object_kind: 'cluster', object_id: cluster.id, object_name: cluster.name };
    if (failure) {
      await recordAudit(tx, scope, {
        ...object,
        action: 'cluster.sync_failed',
        after: { run_id: run.id, trigger: run.trigger, ...failure },
      });
    } else if (report?.changedAnything) {
      await recordAudit(tx, scope, {
        ...object,
        action: 'cluster.synced',
        after: { run_id: run.id, trigger: run.trigger, counters },
      });
    }
  });
}

/** Puts the run back for another worker. */
async function release({ cluster, run }: Claimed): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockClusterRow(tx, cluster.id))) return;
    if (!(await releaseRun(tx, run))) return;
    await updateCluster(tx, cluster.id, { sync_status: 'queued' });
    await publishEvent(tx, { type: 'sync_run.changed', cluster_id: cluster.id, run_id: run.id });
    await publishEvent(tx, { type: 'cluster.changed', cluster_id: cluster.id });
  });
}

/**
 * Carries out the sync that waits for this cluster; without one it does nothing. A failure of the cluster is an outcome,
 * stored with its remedy, and no error. Whatever happens to the process, the run is finished, taken over or marked failed.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the run for another worker
 */
export async function runClusterSync(clusterId: string, context: Context): Promise<void> {
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
    if (lost instanceof RunLost) return log.warn({ reason: lost.message }, 'sync given up');
    // A refused connection to the cluster looks like one to the database from its cause alone.
    if (!(error instanceof ProviderError) && isDatabaseDown(error)) throw error;
    const failure = describeFailure(error);
    if (failure.code === 'internal') log.error({ err: error }, 'sync failed unexpectedly');
    await finish(claimed, session, failure);
  } finally {
    await session?.stop();
    provider?.close();
  }
}
