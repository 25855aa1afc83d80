import { and, eq, getTableColumns, getTableName, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Executor, Tx } from '../../db/client';
import type { impacts } from '../../db/schema/impacts';
import type { ipamImports } from '../../db/schema/ipam';
import type { syncRuns } from '../../db/schema/operations';
import type { deployments } from '../../db/schema/policies';
import type { suggestions } from '../../db/schema/suggestions';
import { newId } from '../../lib/ids';

/** Tables of runs: each row is work for one worker, held by the one that renews its lease. */
type RunTable = typeof syncRuns | typeof deployments | typeof ipamImports | typeof impacts | typeof suggestions;
type Row<T extends RunTable> = T['$inferSelect'];
/** What a holder may store: never the lease itself. */
export type RunChanges<T extends RunTable> = Partial<Omit<Row<T>, 'id' | 'lease_owner' | 'lease_at' | 'attempts'>>;
/** One worker's hold on one run. No other worker ever has this owner. */
export type Lease = { readonly id: string; readonly lease_owner: string };

/** A run whose lease was not renewed for this long may be claimed by another worker. */
export const LEASE_SECONDS = 30;
/** A run that lost its worker this often is failed: the run may be what kills its workers. */
export const MAX_ATTEMPTS = 3;

/** Why a run ends when its workers did not end it. */
export const formatWorkerCrash = (what: string) => `The worker crashed ${MAX_ATTEMPTS} times during this ${what}.`;
/** A run waits this long for its job before the job counts as lost. */
const QUEUED_SECONDS = 30;

/** Whether a stored time is so many seconds ago. One as far ahead was stored by a clock that was put back since, and counts as well. */
export const isOutside = (column: PgColumn, seconds: number): SQL => {
  const interval = sql`${`${seconds} seconds`}::interval`;
  return sql`(${column} < now() - ${interval} or ${column} > now() + ${interval})`;
};

/** The leases of one table. Every change of a run names the lease, so a former holder changes nothing. */
class RunLeases<T extends RunTable> {
  /** All tables of runs have the columns that are used here, under the same names. */
  readonly #runs: typeof syncRuns;
  readonly #isFree: SQL | undefined;
  readonly #isSilent: SQL | undefined;
  readonly #released: 'queued' | 'running';

  constructor(table: T, released: 'queued' | 'running') {
    const runs = table as unknown as typeof syncRuns;
    const over = sql`(${runs.lease_at} is null or ${isOutside(runs.lease_at, LEASE_SECONDS)})`;
    this.#runs = runs;
    this.#released = released;
    this.#isSilent = and(eq(runs.status, 'running'), over);
    this.#isFree = or(eq(runs.status, 'queued'), this.#isSilent);
  }

  #isHeld(lease: Lease): SQL | undefined {
    const { id, lease_owner, status } = this.#runs;
    return and(eq(id, lease.id), eq(lease_owner, lease.lease_owner), eq(status, 'running'));
  }

  #matches(which: Partial<Row<T>>): SQL | undefined {
    const columns: Record<string, PgColumn> = getTableColumns(this.#runs);
    return and(...Object.entries(which).map(([name, value]) => eq(columns[name] as PgColumn, value)));
  }

  async #update(executor: Executor, changes: object, where: SQL | undefined): Promise<boolean> {
    const rows = await executor.update(this.#runs).set(changes).where(where).returning({ id: this.#runs.id });
    return rows.length > 0;
  }

  /** Claims the run with these values if it waits or its worker is silent. Null when there is none to claim. */
  async claim(executor: Executor, which: Partial<Row<T>>, changes?: RunChanges<T>): Promise<(Row<T> & Lease) | null> {
    const runs = this.#runs;
    const lease_owner = newId();
    const [row] = await executor
      .update(runs)
      .set({
        ...changes,
        status: 'running',
        lease_owner,
        lease_at: sql`now()`,
        attempts: sql`${runs.attempts} + 1`,
        started_at: sql`coalesce(${runs.started_at}, now())`,
      } as object)
      .where(and(this.#matches(which), this.#isFree, lt(runs.attempts, MAX_ATTEMPTS)))
      .returning();
    return row ? ({ ...row, lease_owner } as unknown as Row<T> & Lease) : null;
  }

  /** Renews the lease and stores progress with it. False when the lease is lost or the run is gone. */
  renew(executor: Executor, lease: Lease, progress: RunChanges<T> = {}): Promise<boolean> {
    return this.#update(executor, { ...progress, lease_at: sql`now()` }, this.#isHeld(lease));
  }

  /** Whether the lease is held. If so, no other worker can claim the run before the transaction ends. */
  async hold(tx: Tx, lease: Lease): Promise<boolean> {
    const rows = await tx.select({ id: this.#runs.id }).from(this.#runs).where(this.#isHeld(lease)).for('share');
    return rows.length > 0;
  }

  /** Gives the run back without counting the attempt: its worker ends in good order. False when the lease is lost. */
  release(tx: Executor, lease: Lease): Promise<boolean> {
    const attempts = sql`greatest(${this.#runs.attempts} - 1, 0)`;
    const changes = { status: this.#released, lease_owner: null, lease_at: null, attempts };
    return this.#update(tx, changes, this.#isHeld(lease));
  }

  /** Ends the run with its outcome. False when the lease is lost: then nothing of the outcome may be stored. */
  finish(tx: Tx, lease: Lease, outcome: RunChanges<T> & { finished_at: string }): Promise<boolean> {
    return this.#update(tx, { ...outcome, lease_owner: null }, this.#isHeld(lease));
  }

  /** Fails a run that lost its worker too often. False when an active worker has its lease. */
  fail(tx: Tx, id: string, outcome: RunChanges<T> & { finished_at: string }): Promise<boolean> {
    return this.#update(
      tx,
      { ...outcome, status: 'failed', lease_owner: null },
      and(eq(this.#runs.id, id), this.#isFree),
    );
  }

  /**
   * How many runs that meet a condition are not done yet. Others that count wait until the transaction ends, so that no two of them
   * miss each other's run.
   */
  async countUnfinished(tx: Tx, condition: SQL): Promise<number> {
    const runs = this.#runs;
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`unfinished:${getTableName(runs)}`}, 0))`);
    return tx.$count(runs, and(inArray(runs.status, ['queued', 'running']), condition));
  }

  /** Runs without a worker: queued for so long that their job is lost, or with a lease that is over. */
  async listOrphans<K extends string & keyof Row<T>>(
    executor: Executor,
    names: readonly K[],
    which: Partial<Row<T>> = {},
  ): Promise<Pick<Row<T>, K | 'id' | 'status' | 'attempts'>[]> {
    const runs = this.#runs;
    const columns: Record<string, PgColumn> = getTableColumns(runs);
    const named = Object.fromEntries(names.map((name) => [name, columns[name] as PgColumn]));
    const waited = isOutside(runs.created_at, QUEUED_SECONDS);
    const rows = await executor
      .select({ ...named, id: runs.id, status: runs.status, attempts: runs.attempts })
      .from(runs)
      .where(and(this.#matches(which), or(and(eq(runs.status, 'queued'), waited), this.#isSilent)))
      .orderBy(runs.id);
    return rows as unknown as Pick<Row<T>, K | 'id' | 'status' | 'attempts'>[];
  }
}

/**
 * The leases of a table of runs.
 * @param released the status of a run that its worker gives back. `running` without a lease is as free as `queued`, and
 * does not collide with another run that waits.
 */
export const runLeases = <T extends RunTable>(table: T, released: 'queued' | 'running' = 'queued'): RunLeases<T> =>
  new RunLeases(table, released);
