import { MINUTE_MS } from '@/domain/durations';
import type { RunKind, RunTrigger } from '@/domain/sync';
import { type AuditEntry, recordAudit } from '../audit/record';
import { type Actor, type Origin, type Scope, systemScope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import type { clusterSync, ipamDiscover } from '../jobs/definitions';
import { enqueue, enqueueOrWait } from '../jobs/enqueue';
import { formatWorkerCrash } from '../jobs/queries/run-leases';
import { recoverRuns } from '../jobs/run-lease';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { notFound } from '../lib/refusals';
import { findScheduledAt, recordSchedule, storedSettings } from '../settings/settings';
import { runChanged } from './cluster-run';
import { listSyncableClusterIds, lockClusterRow } from './queries/clusters';
import { findActiveRunId, insertSyncRun, type SyncRunRow, syncLeases } from './queries/sync-runs';

type Problem = SyncRunRow['errors'][number];
type Orphan = Pick<SyncRunRow, 'id' | 'cluster_id' | 'trigger' | 'errors'>;

/** A kind of run that is asked for and scheduled, cluster by cluster. The hooks run in the transactions that change the run. */
export type RequestedRun = {
  kind: RunKind;
  /** In messages: `sync`. */
  what: string;
  /** What to do after the remedy: `Then sync again.` */
  again: string;
  job: typeof clusterSync | typeof ipamDiscover;
  actions: Record<'requested' | 'failed', AuditEntry['action']>;
  /** As settings call its schedule. */
  schedule: 'node' | 'ipam';
  /** Who starts what is due, in the audit trail. */
  scope: Scope<'cluster:sync'> | Scope<'ipam:discover'>;
  requested?: (tx: Tx, clusterId: string) => Promise<void>;
  failed?: (tx: Tx, clusterId: string, problem: Problem) => Promise<void>;
};

/**
 * Notes inside the caller's transaction that a cluster is to be worked on; a run of this kind that waits or runs already will
 * do. The caller hands the job to the queue after the commit (`startRun`).
 * @throws AppError `not_found`, `refused` without a token
 */
export async function requestRunIn(
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  { kind, actions, requested }: RequestedRun,
  clusterId: string,
  trigger: RunTrigger,
): Promise<{ run_id: string; created: boolean }> {
  const cluster = await lockClusterRow(tx, clusterId);
  if (!cluster) throw notFound('cluster');
  if (cluster.api_token_encrypted === null) {
    throw new AppError('refused', `${cluster.name} has no API token. Enter one in its settings.`);
  }
  const requested_by = scope.actor.kind === 'user' ? scope.actor.id : null;
  const added = await insertSyncRun(tx, { cluster_id: clusterId, trigger, requested_by, kind });
  if (added === null) {
    const active = await findActiveRunId(tx, clusterId, kind);
    if (active === null) throw new Error('expected the run that blocks this one to be active');
    return { run_id: active, created: false };
  }
  await runChanged(tx, { id: added, cluster_id: clusterId });
  await requested?.(tx, clusterId);
  // What the schedule starts is recorded by its outcome; thousands of requests a year say nothing.
  if (trigger !== 'auto') {
    await recordAudit(tx, scope, {
      action: actions.requested,
      object_kind: 'cluster',
      object_id: clusterId,
      object_name: cluster.name,
      after: { run_id: added, trigger },
    });
  }
  return { run_id: added, created: true };
}

/**
 * Hands the cluster's waiting run to the queue. When the queue does not answer the run keeps waiting: the schedule finds it
 * within a minute.
 */
export async function startRun({ job, what }: RequestedRun, clusterId: string): Promise<void> {
  const payload = { cluster_id: clusterId };
  await enqueueOrWait(`the ${what}`, payload, () => enqueue(job, payload));
}

/** Ends a run whose workers died, unless it has ended or its cluster is gone. */
async function failOrphanedRun({ what, again, actions, scope, failed }: RequestedRun, run: Orphan): Promise<void> {
  const problem = {
    stage: 'finish',
    code: 'worker_died',
    message: formatWorkerCrash(what),
    remedy: `Check the worker log; the worker may be out of memory. ${again}`,
  };
  await db.transaction(async (tx) => {
    const cluster = await lockClusterRow(tx, run.cluster_id);
    if (!cluster) return;
    const outcome = { errors: [...run.errors, problem], finished_at: clock.now().toISOString() };
    if (!(await syncLeases.fail(tx, run.id, outcome))) return;
    await runChanged(tx, run);
    await failed?.(tx, run.cluster_id, problem);
    await recordAudit(tx, scope, {
      action: actions.failed,
      object_kind: 'cluster',
      object_id: run.cluster_id,
      object_name: cluster.name,
      after: { run_id: run.id, trigger: run.trigger, code: problem.code, message: problem.message },
    });
  });
}

/** Starts a run of every cluster when the interval of the settings is over. */
async function startDue(requested: RequestedRun): Promise<void> {
  const { schedule, scope } = requested;
  const settings = await storedSettings(db);
  if (!settings[`auto_${schedule}_sync_enabled`]) return;
  const last = await findScheduledAt(schedule);
  const interval = settings[`auto_${schedule}_sync_interval_minutes`] * MINUTE_MS;
  const since = last === null ? interval : clock.now().getTime() - Date.parse(last);
  // A time further ahead than clocks differ was stored by one that was put back since.
  if (since > -MINUTE_MS && since < interval) return;
  // Stored first: a cluster that makes this fail must not make it run every minute.
  await recordSchedule(systemScope('cluster:sync', scope.actor.name), schedule);
  for (const clusterId of await listSyncableClusterIds(db)) {
    try {
      const { created } = await db.transaction((tx) => requestRunIn(tx, scope, requested, clusterId, 'auto'));
      if (created) await startRun(requested, clusterId);
    } catch (error) {
      // The cluster was deleted, or its token removed: there is nothing to work on.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** Called every minute: recovers runs that lost their worker or their job, and starts those that are due. */
export async function scheduleRuns(requested: RequestedRun): Promise<void> {
  const orphans = await syncLeases.listOrphans(db, ['cluster_id', 'trigger', 'errors'], { kind: requested.kind });
  await recoverRuns(orphans, {
    restart: ({ cluster_id }) => startRun(requested, cluster_id),
    giveUp: (run) => failOrphanedRun(requested, run),
  });
  await startDue(requested);
}
