import { GuestProblem } from './perform-step';

/** Pauses between tries of something that may pass: a lock is held for up to ten seconds. */
export const RETRY_MS = [500, 2_000, 5_000, 10_000];
/** How often another writer may interfere before this is reported. */
const MAX_CONFLICTS = 25;
const MAX_UNKNOWN = 5;

export const createConflictProblem = () =>
  new GuestProblem({
    code: 'changed_meanwhile',
    message: "Another user or program kept changing the workload's firewall during the deployment.",
    remedy: 'Find out what changes it (another tool, another installation), then apply the policy again.',
  });

/** Counts failures; a success resets all counts but that of conflicts. */
export class Patience {
  #tries = 0;
  #unknown = 0;
  #conflicts = 0;

  success(): void {
    this.#tries = 0;
    this.#unknown = 0;
  }

  /** The pause before another try. @throws `error` when there were enough */
  another(error: unknown): number {
    const pause = RETRY_MS[this.#tries++];
    if (pause === undefined) throw error;
    return pause;
  }

  unknown(error: unknown): void {
    this.#unknown += 1;
    if (this.#unknown > MAX_UNKNOWN) throw error;
  }

  conflict(): void {
    this.#conflicts += 1;
    if (this.#conflicts > MAX_CONFLICTS) throw createConflictProblem();
  }
}
