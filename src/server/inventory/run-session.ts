import type { RunStage } from '@/domain/sync';
import { db, type Tx } from '../db/client';
import type { RunError, StageCounters } from '../db/schema/operations';
import { LeaseLost, type RunLease } from '../jobs/run-lease';
import { AppError } from '../lib/errors';
import { findPgError } from '../lib/pg-errors';
import { ProviderError, type ProviderErrorCode } from '../providers/hypervisor/errors';
import type { ClusterAccess, HypervisorProvider } from '../providers/hypervisor/types';
import { lockClusterForShare } from './queries/clusters';
import type { SyncRunRow } from './queries/sync-runs';

/** Errors stored with their text; all of them are counted. */
export const MAX_ERRORS = 50;

const createCounters = (): StageCounters => ({ seen: 0, created: 0, changed: 0, removed: 0, skipped: 0, errors: 0 });

export type RunProgress = Pick<SyncRunRow, 'stage' | 'progress_done' | 'progress_total' | 'counters' | 'errors'>;

/** What a run has done so far. `touched` is called on every change, to display progress. */
export class RunReport {
  stage: RunStage = 'connect';
  done = 0;
  total: number | null = null;
  readonly counters: Record<string, StageCounters> = {};
  readonly errors: RunError[] = [];
  readonly #touched: () => void;

  constructor(touched: () => void = () => {}) {
    this.#touched = touched;
  }

  /** Begins a stage; `total` is the number of steps when it is known. */
  begin(stage: RunStage, total: number | null = null): void {
    this.stage = stage;
    this.done = 0;
    this.total = total;
    this.counters[stage] ??= createCounters();
    this.#touched();
  }

  step(count = 1): void {
    this.done += count;
    this.#touched();
  }

  count(counts: Partial<StageCounters>): void {
    const counters = this.counters[this.stage] ?? createCounters();
    this.counters[this.stage] = counters;
    for (const [name, value] of Object.entries(counts)) counters[name as keyof StageCounters] += value;
    this.#touched();
  }

  /** Records an error of the present stage that does not stop the run. */
  error(error: Omit<RunError, 'stage'>): void {
    this.count({ errors: 1 });
    if (this.errors.length < MAX_ERRORS) this.errors.push({ stage: this.stage, ...error });
  }

  /** The columns of the run that show it. */
  get progress(): RunProgress {
    const { stage, done, total, counters, errors } = this;
    return { stage, progress_done: done, progress_total: total, counters, errors };
  }

  /** Whether the inventory became another one. */
  get changedAnything(): boolean {
    return Object.values(this.counters).some(({ created, changed, removed }) => created + changed + removed > 0);
  }
}

/** A reason of our own to stop a sync: what is wrong, and what the administrator can do. */
export class SyncProblem extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string) {
    super(message);
    this.name = 'SyncProblem';
    this.code = code;
    this.remedy = remedy;
  }
}

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
   * A transaction that only runs while this worker holds the run and the cluster is still the one that was read:
   * neither can change before it ends. Deadlocks with other writers are retried.
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
        if (findPgError(error)?.code !== '40P01' || tries === DEADLOCK_TRIES) throw error;
      }
    }
  }

  /** The cluster comes first, as everywhere: then deleting it and writing below it cannot wait for each other. */
  async #hold(tx: Tx): Promise<void> {
    const cluster = await lockClusterForShare(tx, this.clusterId);
    if (!cluster) throw new LeaseLost('the cluster was deleted');
    if (cluster.api_url !== this.access.api_url) {
      throw new SyncProblem(
        'address_changed',
        'The address of the cluster was changed during the sync.',
        'Sync the cluster again.',
      );
    }
    await this.lease.fence(tx);
  }
}

export type Failure = { code: string; message: string; remedy?: string };

/** What went wrong, as text that may be stored and shown; an error of unknown kind only shows where to look. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ProviderError || error instanceof SyncProblem) {
    return { code: error.code, message: error.message.slice(0, 500), remedy: error.remedy.slice(0, 500) };
  }
  if (error instanceof AppError) return { code: error.code, message: error.message };
  return {
    code: 'internal',
    message: 'The sync stopped with an unexpected error.',
    remedy: 'Search the worker log for the run ID.',
  };
}

/** Faults of the cluster or the access as a whole: asking for the next thing would meet them again. */
const FATAL = new Set<ProviderErrorCode>([
  'unreachable',
  'tls_untrusted',
  'tls_changed',
  'unauthorized',
  'target_refused',
]);

/** Whether the sync can go on with other things after this error. */
export function isLocal(error: unknown): error is ProviderError {
  return error instanceof ProviderError && !FATAL.has(error.code);
}
