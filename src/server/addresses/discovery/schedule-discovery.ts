import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { listSyncableClusterIds, lockClusterRow } from '../../inventory/queries/clusters';
import { type SyncRunRow, syncLeases } from '../../inventory/queries/sync-runs';
import { MAX_ATTEMPTS } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findScheduledAt, recordSchedule } from '../../settings/record-auto-sync';
import { storedSettings } from '../../settings/stored-settings';
import { requestDiscoveryIn, startDiscovery } from './request-discovery';

const MINUTE_MS = 60_000;

const scope = systemScope('ipam:discover', 'discovery schedule');

const WORKER_DIED = {
  stage: 'finish',
  code: 'worker_died',
  message: `The worker died ${MAX_ATTEMPTS} times during this discovery.`,
  remedy: 'Look into the log of the worker; it may lack memory. Then discover again.',
};

type Orphan = Pick<SyncRunRow, 'id' | 'cluster_id' | 'trigger' | 'errors'>;

async function giveUp(run: Orphan): Promise<void> {
  await db.transaction(async (tx) => {
    const cluster = await lockClusterRow(tx, run.cluster_id);
    if (!cluster) return;
    const outcome = { errors: [...run.errors, WORKER_DIED], finished_at: clock.now().toISOString() };
    if (!(await syncLeases.fail(tx, run.id, outcome))) return;
    await publishEvent(tx, { type: 'sync_run.changed', cluster_id: run.cluster_id, run_id: run.id });
    await recordAudit(tx, scope, {
      action: 'ipam.discovery_failed',
      object_kind: 'cluster',
      object_id: run.cluster_id,
      object_name: cluster.name,
      after: { run_id: run.id, trigger: run.trigger, code: WORKER_DIED.code, message: WORKER_DIED.message },
    });
  });
}

/** Starts a discovery of every cluster when the interval of the settings is over. */
async function startDue(): Promise<void> {
  const settings = await storedSettings(db);
  if (!settings.auto_ipam_sync_enabled) return;
  const last = await findScheduledAt('ipam');
  const interval = settings.auto_ipam_sync_interval_minutes * MINUTE_MS;
  if (last !== null && clock.now().getTime() - Date.parse(last) < interval) return;
  // Stored first: a cluster that makes this fail must not make it run every minute.
  await recordSchedule(systemScope('cluster:sync', 'discovery schedule'), 'ipam');
  for (const clusterId of await listSyncableClusterIds(db)) {
    try {
      const { created } = await db.transaction((tx) => requestDiscoveryIn(tx, scope, clusterId, 'auto'));
      if (created) await startDiscovery(clusterId);
    } catch (error) {
      // Deleted meanwhile, or its token was taken away: nothing to look through.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** Called every minute: recovers discoveries that lost their worker or their job, and starts those that are due. */
export async function scheduleDiscovery(): Promise<void> {
  const orphans = await syncLeases.listOrphans(db, ['cluster_id', 'trigger', 'errors'], { kind: 'ipam' });
  await recoverRuns(orphans, { restart: ({ cluster_id }) => startDiscovery(cluster_id), giveUp });
  await startDue();
}
