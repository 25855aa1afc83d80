import { db, type Tx } from '../../../db/client';
import { publishEvent } from '../../../events/publish-event';
import { logger } from '../../../lib/logger';
import { pgErrorOf } from '../../../lib/pg-errors';
import type { ClusterAccess, HypervisorProvider } from '../../../providers/hypervisor/types';
import { holdCluster } from '../../../repositories/clusters';
import { holdLease, LEASE_SECONDS, renewLease, type SyncRunRow } from '../../../repositories/sync-runs';
import { RunReport } from './run-report';
import { RunLost, SyncProblem } from './sync-problem';

/** Progress is stored and told at most this often. */
const PROGRESS_MS = 500;
const RENEW_MS = 5_000;
const TICK_MS = 100;
const DEADLOCK_TRIES = 5;

/** One worker's hold on one run: the lease that it renews, the progress that it tells, the writes that it may do. */
export class RunSession {
  readonly report: RunReport;
  /** Aborts when the worker has to end or has lost the run. */
  readonly signal: AbortSignal;
  readonly #lost = new AbortController();
  #dirty = true;
  #flushing: Promise<void> = Promise.resolve();
  #flushedAt = 0;
  #renewedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly run: SyncRunRow & { lease_owner: string },
    readonly access: ClusterAccess,
    readonly provider: HypervisorProvider,
    outer: AbortSignal,
  ) {
    this.signal = AbortSignal.any([outer, this.#lost.signal]);
    this.report = new RunReport(() => {
      this.#dirty = true;
    });
  }

  get clusterId(): string {
    return this.run.cluster_id;
  }

  /** Keeps the lease alive until `stop`. */
  start(): void {
    let busy = false;
    this.#timer = setInterval(() => {
      const since = performance.now() - this.#flushedAt;
      if (busy || !(since >= RENEW_MS || (this.#dirty && since >= PROGRESS_MS))) return;
      busy = true;
      this.#flushing = this.#flush().finally(() => {
        busy = false;
      });
    }, TICK_MS);
  }

  /** Ends the timer; no progress is written afterwards. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    const { stage, done, total, counters, errors } = this.report;
    const told = this.#dirty;
    this.#dirty = false;
    this.#flushedAt = performance.now();
    try {
      const held = await db.transaction(async (tx) => {
        const progress = { stage, progress_done: done, progress_total: total, counters, errors };
        if (!(await renewLease(tx, this.run, told ? progress : {}))) return false;
        if (told) await this.#tell(tx);
        return true;
      });
      if (held) this.#renewedAt = performance.now();
      else this.#lose('the run was taken over or deleted');
    } catch (error) {
      logger.warn({ err: error, run_id: this.run.id }, 'the lease of a sync could not be renewed');
      if (performance.now() - this.#renewedAt > (LEASE_SECONDS - 5) * 1000)
        this.#lose('the lease could not be renewed');
    }
  }

  #tell(tx: Tx): Promise<void> {
    return publishEvent(tx, { type: 'sync_run.changed', cluster_id: this.clusterId, run_id: this.run.id });
  }

  #lose(reason: string): void {
    this.#lost.abort(new RunLost(reason));
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
    if (!cluster) throw new RunLost('the cluster was deleted');
    if (cluster.api_url !== this.access.api_url) {
      throw new SyncProblem(
        'address_changed',
        'The address of the cluster was changed while it was read.',
        'Sync the cluster again.',
      );
    }
    if (!(await holdLease(tx, this.run))) throw new RunLost('the run was taken over or deleted');
  }
}
