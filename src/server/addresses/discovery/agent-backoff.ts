const FIRST_MS = 10 * 60_000;
const LONGEST_MS = 6 * 60 * 60_000;
const MAX_GUESTS = 200_000;

type Silence = { failures: number; until: number; startedAt: string | null };

/**
 * Remembers in this process which guest agents did not answer, so that automatic runs do not wait for them each time. The
 * pause doubles with each failure and varies by a quarter, so that they are not all asked again together; a guest that was
 * started anew is asked at once.
 */
export class AgentBackoff {
  readonly #silent = new Map<string, Silence>();
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Whether the guest's agent is to be left alone for now. */
  isSilent(guest: string, startedAt: string | null, now: number): boolean {
    const silence = this.#silent.get(guest);
    return silence !== undefined && silence.startedAt === startedAt && now < silence.until;
  }

  failed(guest: string, startedAt: string | null, now: number): void {
    const before = this.#silent.get(guest);
    const failures = before?.startedAt === startedAt ? before.failures + 1 : 1;
    const pause = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
    if (this.#silent.size >= MAX_GUESTS && !before) this.#silent.clear();
    this.#silent.set(guest, { failures, startedAt, until: now + pause * (0.75 + this.#random() / 2) });
  }

  answered(guest: string): void {
    this.#silent.delete(guest);
  }
}
