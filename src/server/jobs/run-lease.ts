import { db, type Tx } from '../db/client';
import { AppError } from '../lib/errors';
import { logger } from '../lib/logger';
import { isDatabaseDown } from '../lib/pg-errors';
import { ProviderError } from '../providers/hypervisor/errors';
import { LEASE_SECONDS, type Lease, MAX_ATTEMPTS } from './queries/run-leases';

const RENEW_MS = 5_000;
/** Progress is stored and announced at most this often. */
const PROGRESS_MS = 500;
const TICK_MS = 100;
/** The run counts as lost when its lease could not be renewed for this long: soon another worker may claim it. */
const SAFE_MS = (LEASE_SECONDS - 10) * 1000;

/** The run has another worker by now, or was deleted: its former worker stores nothing more, not even the reason. */
export class LeaseLost extends Error {}

type Options<P extends object> = {
  /** How the run is called in messages: `sync`, `deployment`. */
  what: string;
  /** Ids that its log lines carry. */
  ids: Record<string, string>;
  leases: {
    renew(tx: Tx, lease: Lease, progress: Partial<P>): Promise<boolean>;
    hold(tx: Tx, lease: Lease): Promise<boolean>;
  };
  /** Aborts when the worker has to end; the run then waits for another one. */
  outer: AbortSignal;
  /** What has been done so far; stored with the next renewal after `touch`. */
  progress: () => P;
  /** Tells the pages about progress, in the transaction that stores it. */
  announce: (tx: Tx) => Promise<void>;
  /** Renews what else the worker holds. False: some of it is lost, and the run with it. */
  renewMore?: (tx: Tx) => Promise<boolean>;
};

type Steps<T> = {
  /** The work itself, up to the stored end. Before it stores the end it stops the lease. */
  work: () => Promise<T>;
  /** Gives the run back for another worker. */
  release: () => Promise<unknown>;
  /** Stores a failure as the end of the run. */
  fail: (error: unknown) => Promise<T>;
};

/** One worker's hold on one run: keeps the lease alive, stores progress with it, and knows when it is lost. */
export class RunLease<P extends object> {
  /** Aborts when the worker has to end or the lease is lost. */
  readonly signal: AbortSignal;
  readonly log: ReturnType<typeof logger.child>;
  readonly #lost = new AbortController();
  readonly #options: Options<P>;
  #touched = true;
  #flushing: Promise<void> | null = null;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #renewedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly held: Lease,
    options: Options<P>,
  ) {
    this.#options = options;
    this.signal = AbortSignal.any([options.outer, this.#lost.signal]);
    this.log = logger.child(options.ids);
  }

  /** Notes that `progress` changed. */
  touch(): void {
    this.#touched = true;
  }

  /** @throws when nothing may be written any more outside of the database, where nothing checks the lease */
  assertHeld(): void {
    this.signal.throwIfAborted();
    if (performance.now() - this.#renewedAt > SAFE_MS) throw new LeaseLost('cannot renew the lease');
  }

  /** Ties a transaction to the lease: no other worker can claim the run before it ends. @throws LeaseLost */
  async fence(tx: Tx): Promise<void> {
    if (!(await this.#options.leases.hold(tx, this.held))) throw this.#taken();
  }

  /** Stores values immediately, in the caller's transaction. @throws LeaseLost */
  async store(tx: Tx, values: Partial<P>): Promise<void> {
    if (!(await this.#options.leases.renew(tx, this.held, values))) throw this.#taken();
  }

  /** Stores and announces progress immediately. @throws LeaseLost */
  async flush(): Promise<void> {
    this.#touched = false;
    await db.transaction(async (tx) => {
      await this.store(tx, this.#options.progress());
      await this.#options.announce(tx);
    });
  }

  /** Renews the lease until `stop`. */
  start(): void {
    this.#timer = setInterval(() => {
      const since = performance.now() - this.#flushedAt;
      if (this.#flushing || !(since >= RENEW_MS || (this.#touched && since >= PROGRESS_MS))) return;
      this.#flushing = this.#renew().finally(() => {
        this.#flushing = null;
      });
    }, TICK_MS);
  }

  /** Ends the renewals; no progress is stored afterwards. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
  }

  async #renew(): Promise<void> {
    const { leases, progress, announce, renewMore } = this.#options;
    const touched = this.#touched;
    this.#touched = false;
    const begun = performance.now();
    this.#flushedAt = begun;
    try {
      const held = await db.transaction(async (tx) => {
        if (!(await leases.renew(tx, this.held, touched ? progress() : {}))) return false;
        if (renewMore && !(await renewMore(tx))) return false;
        if (touched) await announce(tx);
        return true;
      });
      if (held) this.#renewedAt = begun;
      else this.#lost.abort(this.#taken());
    } catch (error) {
      this.log.warn({ err: error }, 'cannot renew the lease');
      if (performance.now() - this.#renewedAt > SAFE_MS) this.#lost.abort(new LeaseLost('cannot renew the lease'));
    }
  }

  #taken(): LeaseLost {
    return new LeaseLost(`the ${this.#options.what} was taken over or deleted`);
  }

  /**
   * Works under the lease. A failure is an outcome of the run and no error of the job.
   * @returns null when the lease was lost
   * @throws the reason of `outer` when it aborts, and database errors: both leave the run for another worker
   */
  async carryOut<T>({ work, release, fail }: Steps<T>): Promise<T | null> {
    const { outer, what } = this.#options;
    this.start();
    try {
      return await work();
    } catch (error) {
      await this.stop();
      if (outer.aborted) {
        await release();
        throw outer.reason;
      }
      const reason = this.signal.aborted ? this.signal.reason : error;
      if (reason instanceof LeaseLost) {
        this.log.warn({ reason: reason.message }, `${what} stopped: lease lost`);
        return null;
      }
      // A refused connection to the cluster looks like one to the database from its cause alone.
      const known = error instanceof ProviderError || error instanceof AppError;
      if (!known && isDatabaseDown(error)) throw error;
      return fail(error);
    } finally {
      await this.stop();
    }
  }
}

type Orphan = { status: string; attempts: number };

/** Gives runs without a worker a job again, or gives them up after too many attempts. */
export async function recoverRuns<R extends Orphan>(
  orphans: readonly R[],
  steps: { restart: (run: R) => Promise<void>; giveUp: (run: R) => Promise<void> },
): Promise<void> {
  for (const run of orphans)
    await (run.status === 'running' && run.attempts >= MAX_ATTEMPTS ? steps.giveUp(run) : steps.restart(run));
}
