import type { SimClock } from '../clock';
import { PveError } from '../pve-error';

/** Named mutual exclusion as in the cluster file system: waiters poll once per second and time out after ten. */
export class ClusterLocks {
  readonly #held = new Set<string>();
  readonly #clock: SimClock;
  readonly #isQuorate: () => boolean;

  constructor(clock: SimClock, isQuorate: () => boolean) {
    this.#clock = clock;
    this.#isQuorate = isQuorate;
  }

  /** Runs `task` under the cluster-wide lock `name`; 500 without quorum or when the lock stays taken. */
  async withClusterLock<T>(name: string, task: () => Promise<T>): Promise<T> {
    if (!this.#isQuorate()) throw new PveError(500, `cfs-lock '${name}' error: no quorum!`);
    await this.#acquire(name, () => new PveError(500, `cfs-lock '${name}' error: got lock request timeout`));
    return this.#release(name, task);
  }

  /** Runs `task` under a lock file local to a node. */
  async withFileLock<T>(path: string, task: () => Promise<T>): Promise<T> {
    await this.#acquire(path, () => new PveError(500, `can't lock file '${path}' - got timeout`));
    return this.#release(path, task);
  }

  /** Takes a lock from outside for `ms` virtual milliseconds, as another program would. */
  hold(name: string, ms: number): void {
    this.#held.add(name);
    void this.#clock.sleep(ms).then(() => this.#held.delete(name));
  }

  async #acquire(name: string, timeout: () => PveError): Promise<void> {
    for (let waited = 0; this.#held.has(name); waited += 1000) {
      if (waited >= 10_000) throw timeout();
      await this.#clock.sleep(1000);
    }
    this.#held.add(name);
  }

  async #release<T>(name: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } finally {
      this.#held.delete(name);
    }
  }
}
