import type { RunKind } from '@/domain/sync';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import type { Lease } from '../jobs/queries/run-leases';
import { RunLease } from '../jobs/run-lease';
import { clock } from '../lib/clock';
import { countSyncStage } from '../lib/metrics';
import type { HypervisorProvider } from '../providers/hypervisor/types';
import { clusterAccess, openProvider } from './cluster-access';
import { type ClusterRow, lockClusterRow } from './queries/clusters';
import { type SyncRunRow, syncLeases } from './queries/sync-runs';
import { describeFailure, type Failure, RunReport, RunSession } from './run-session';
import { type RenewedCertificate, storeRenewedPin } from './store-renewed-pin';

export type RunContext = {
  /** Aborts when the worker has to end; the run then waits for another one. */
  signal: AbortSignal;
  /** Replaced by tests. */
  openProvider?: typeof openProvider;
};

/** How a run ended. */
export type RunEnd = { run: SyncRunRow; cluster: ClusterRow; report: RunReport; failure: Failure | null; at: string };

/** A kind of work on one cluster. The hooks run in the transactions that change the run. */
type ClusterRun = {
  kind: RunKind;
  what: string;
  /** Everything it does. It may be stopped after any call and run again from the start. */
  reconcile: (session: RunSession, cluster: ClusterRow) => Promise<void>;
  claimed: (tx: Tx, run: SyncRunRow) => Promise<void>;
  released?: (tx: Tx, cluster: ClusterRow) => Promise<void>;
  ended: (tx: Tx, end: RunEnd) => Promise<void>;
};
type Claimed = { cluster: ClusterRow; run: SyncRunRow & Lease };

export const runChanged = (tx: Tx, run: Pick<SyncRunRow, 'id' | 'cluster_id'>): Promise<void> =>
  publishEvent(tx, { type: 'sync_run.changed', cluster_id: run.cluster_id, run_id: run.id });

/** Every attempt begins at the first stage, whatever a worker that died had done. */
const AT_START = { stage: null, progress_done: 0, progress_total: null } as const;

/** Claims the cluster's waiting run. The cluster is locked before the run everywhere, so these cannot deadlock. */
function claim({ kind, claimed }: ClusterRun, clusterId: string): Promise<Claimed | null> {
  return db.transaction(async (tx) => {
    const cluster = await lockClusterRow(tx, clusterId);
    const run = cluster && (await syncLeases.claim(tx, { cluster_id: clusterId, kind }, AT_START));
    if (!run) return null;
    await claimed(tx, run);
    return { cluster, run };
  });
}

/** Stores the end of the run, unless the cluster was deleted or another worker has the run. */
async function finish({ ended }: ClusterRun, { cluster, run }: Claimed, report: RunReport, failure: Failure | null) {
  const { stage, done, total, counters } = report;
  const errors = failure ? [...report.errors, { stage, ...failure }] : report.errors;
  for (const [name, counts] of Object.entries(counters)) countSyncStage(run.kind, name, counts);
  const at = clock.now().toISOString();
  await db.transaction(async (tx) => {
    if (!(await lockClusterRow(tx, cluster.id))) return;
    const outcome = {
      status: failure ? ('failed' as const) : ('ok' as const),
      stage: failure ? stage : null,
      progress_done: done,
      progress_total: total,
      counters,
      errors,
      finished_at: at,
    };
    if (!(await syncLeases.finish(tx, run, outcome))) return;
    await runChanged(tx, run);
    await ended(tx, { run, cluster, report, failure, at });
  });
}

/** Gives the run back for another worker. */
async function release({ released }: ClusterRun, { cluster, run }: Claimed): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockClusterRow(tx, cluster.id))) return;
    if (!(await syncLeases.release(tx, run))) return;
    await runChanged(tx, run);
    await released?.(tx, cluster);
  });
}

/** Carries out the cluster's waiting run; without one nothing happens. */
export async function executeClusterRun(kind: ClusterRun, clusterId: string, context: RunContext): Promise<void> {
  const held = await claim(kind, clusterId);
  if (!held) return;
  const { cluster, run } = held;
  const report = new RunReport(() => lease.touch());
  const lease = new RunLease(run, {
    what: kind.what,
    ids: { cluster_id: cluster.id, run_id: run.id },
    leases: syncLeases,
    outer: context.signal,
    progress: () => report.progress,
    announce: (tx) => runChanged(tx, run),
  });
  let provider: HypervisorProvider | undefined;
  // After an abort, do not wait for answers that are on their way.
  lease.signal.addEventListener('abort', () => provider?.close(), { once: true });
  try {
    await lease.carryOut({
      work: async () => {
        const access = clusterAccess(cluster);
        const renewals: RenewedCertificate[] = [];
        const onCertificateRenewed = (item: RenewedCertificate) => renewals.push(item);
        provider = (context.openProvider ?? openProvider)(access, { onCertificateRenewed });
        const session = new RunSession(run, access, provider, report, lease);
        await kind.reconcile(session, cluster);
        await storeRenewedPin(session, cluster, renewals);
        await lease.stop();
        await finish(kind, held, report, null);
      },
      release: () => release(kind, held),
      fail: async (error) => {
        const failure = describeFailure(error);
        if (failure.code === 'internal') lease.log.error({ err: error }, `${kind.what} failed unexpectedly`);
        await finish(kind, held, report, failure);
      },
    });
  } finally {
    provider?.close();
  }
}
