import { db, type Tx } from '../db/client';
import { LeaseLost, type RunLease } from '../jobs/run-lease';
import { pgErrorOf } from '../lib/pg-errors';
import type { ClusterAccess, HypervisorProvider } from '../providers/hypervisor/types';
import { holdCluster } from './queries/clusters';
import type { SyncRunRow } from './queries/sync-runs';
import type { RunProgress, RunReport } from './run-report';
import { SyncProblem } from './sync-problem';

const DEADLOCK_TRIES = 5;

/** One worker's work on one run: the report that it fills, the writes that its lease allows. */
export class RunSession {
  constructor(
    readonly run: SyncRunRow,
    readonly access: ClusterAccess,
    readonly provider: HypervisorProvider,
    readonly report: RunReport,
    readonly lease: RunLease<RunProgress>,
  ) {}

  get clusterId(): string {
    return this.run.cluster_id;
  }

  /** Aborts when the worker has to end or has lost the run. */
  get signal(): AbortSignal {
    return this.lease.signal;
  }

  /**
   * A transaction that only happens while the run is ours and the cluster is still the one that was read: neither can
   * change before it ends. Deadlocks with other writers are tried again.
   */
  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      this.signal.throwIfAborted();
      try {
        return await db.transaction(async (tx) => {
          await this.#hold(tx);
          return work(tx);
        });
      } catch (error) {
        if (pgErrorOf(error)?.code !== '40P01' || tries === DEADLOCK_TRIES) throw error;
      }
    }
  }

  /** The cluster comes first, as everywhere: then deleting it and writing below it cannot wait for each other. */
  async #hold(tx: Tx): Promise<void> {
    const cluster = await holdCluster(tx, this.clusterId);
    if (!cluster) throw new LeaseLost('the cluster was deleted');
    if (cluster.api_url !== this.access.api_url) {
      throw new SyncProblem(
        'address_changed',
        'The address of the cluster was changed while it was read.',
        'Sync the cluster again.',
      );
    }
    await this.lease.fence(tx);
  }
}
