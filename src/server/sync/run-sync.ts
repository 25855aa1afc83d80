import { recordAudit } from '../audit/record';
import { systemScope } from '../auth/scope';
import type { Tx } from '../db/client';
import { startDeployments } from '../enforcement/deployments/schedule';
import { publishEvent } from '../events/event-hub';
import { executeClusterRun, type RunContext, type RunEnd } from '../inventory/cluster-run';
import { type ClusterRow, updateCluster } from '../inventory/queries/clusters';
import { linkInterfaces } from '../inventory/queries/sync-guests';
import type { RunSession } from '../inventory/run-session';
import { applyMappingRules } from '../placement/place';
import { recordAutoSync } from '../settings/settings';
import { syncGuests } from './stages/store-guests';
import { syncInterfaces } from './stages/sync-interfaces';
import { syncNetworks } from './stages/sync-networks';
import { syncNodes } from './stages/sync-nodes';
import { syncSdn } from './stages/sync-sdn';

const scope = systemScope('cluster:sync', 'cluster sync');

/** Everything a sync does, in the order of SYNC_STAGES. It may be stopped after any call and run again from the start. */
async function reconcile(session: RunSession, cluster: ClusterRow): Promise<void> {
  const { report, provider, run } = session;
  report.begin('connect');
  const fact = await provider.inventory.readCluster();
  const { nodes, complete } = await syncNodes(session, cluster, fact);
  const view = await syncNetworks(session, nodes, complete);
  await syncSdn(session, view);
  await syncGuests(session, nodes);
  // Under the VMID of a workload there may be another guest now: nothing moves that is not known to be the same one.
  await applyMapping(session, 'stay');
  await syncInterfaces(session, nodes, run.trigger !== 'auto');
  report.begin('finish');
  // Cards whose config was not read follow networks that came or went.
  const linked = await session.write((tx) => linkInterfaces(tx, cluster.id));
  report.count({ changed: linked });
  // A guest that turned out to be another one has come without a project. One whose config could not be read enters no
  // project; it leaves its tenant when the rules no longer put it there.
  await applyMapping(session, 'leave');
}

/** Puts new guests, and those whose pool or tags changed, where the mapping rules want them. */
async function applyMapping(session: RunSession, unread: 'stay' | 'leave'): Promise<void> {
  const within = { clusterId: session.clusterId, unread };
  const { changed, started } = await session.write((tx) => applyMappingRules(tx, scope, within));
  await startDeployments(started);
  session.report.count({ changed });
}

/** Notes the outcome at the cluster, with an audit record for a failure and for every change. */
async function storeOutcome(tx: Tx, { cluster, run, report, failure, at }: RunEnd): Promise<void> {
  await updateCluster(tx, cluster.id, {
    sync_status: failure ? 'failed' : 'ok',
    last_sync_error: failure ? [failure.message, failure.remedy].filter(Boolean).join(' ') : null,
    last_sync_error_code: failure?.code ?? null,
    ...(failure ? {} : { last_sync_at: at }),
  });
  if (!failure && run.trigger === 'auto') await recordAutoSync(tx, 'node', at);
  await publishClusterChange(tx, cluster.id);
  const object = { object_kind: 'cluster', object_id: cluster.id, object_name: cluster.name };
  if (failure) {
    await recordAudit(tx, scope, {
      ...object,
      action: 'cluster.sync_failed',
      after: { run_id: run.id, trigger: run.trigger, ...failure },
    });
  } else if (report.changedAnything) {
    await recordAudit(tx, scope, {
      ...object,
      action: 'cluster.synced',
      after: { run_id: run.id, trigger: run.trigger, counters: report.counters },
    });
  }
}

const publishClusterChange = (tx: Tx, cluster_id: string) => publishEvent(tx, { type: 'cluster.changed', cluster_id });

async function setSyncStatus(tx: Tx, clusterId: string, sync_status: 'running' | 'queued'): Promise<void> {
  await updateCluster(tx, clusterId, { sync_status });
  await publishClusterChange(tx, clusterId);
}

/**
 * Carries out the sync that waits for this cluster; without one it does nothing. A failure of the cluster is an outcome,
 * stored with its remedy, and no error. Whatever happens to the process, the run is finished, taken over or marked failed.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the run for another worker
 */
export const runClusterSync = (clusterId: string, context: RunContext): Promise<void> =>
  executeClusterRun(
    {
      kind: 'inventory',
      what: 'sync',
      reconcile,
      claimed: (tx) => setSyncStatus(tx, clusterId, 'running'),
      released: (tx) => setSyncStatus(tx, clusterId, 'queued'),
      ended: storeOutcome,
    },
    clusterId,
    context,
  );
