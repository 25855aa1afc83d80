export type BreakerOptions = {
  /** Failures in a row that open it. */
  threshold: number;
  /** How long it stays open at first; doubled after each failed probe up to `maxOpenMs`. */
  openMs: number;
  maxOpenMs: number;
};

const DEFAULTS: BreakerOptions = { threshold: 3, openMs: 15_000, maxOpenMs: 240_000 };

/** One permitted attempt; exactly one of its ends is called, once. */
export type Attempt = {
  succeed(): void;
  fail(now: number): void;
  /** It ended in a way that proves nothing about the other side. */
  release(): void;
};

/**
 * Stops asking something that failed repeatedly. Closed: everything passes. Open: nothing passes until the time is
 * over. Then one probe passes: its success closes, its failure opens again for longer. Times are milliseconds of the
 * caller's clock.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #openMs: number;
  #openUntil: number | null = null;
  #probe: Attempt | null = null;
  #lastFailureAt: number | null = null;

  constructor(options: BreakerOptions = DEFAULTS) {
    this.#options = options;
    this.#openMs = options.openMs;
  }

  /** Permission for one attempt, or null while it is open. Who insists may probe before the time is over. */
  enter(now: number, insist = false): Attempt | null {
    // A clock that was put back must not keep it open for longer than it opened.
    const isOpen = this.#openUntil !== null && now < this.#openUntil && this.#openUntil - now <= this.#openMs;
    if ((isOpen && !insist) || (this.#openUntil !== null && this.#probe)) return null;
    const attempt: Attempt = {
      succeed: () => this.#close(),
      fail: (at) => this.#fail(attempt, at),
      release: () => {
        if (this.#probe === attempt) this.#probe = null;
      },
    };
    if (this.#openUntil !== null) this.#probe = attempt;
    return attempt;
  }

  #close(): void {
    this.#failures = 0;
    this.#openMs = this.#options.openMs;
    this.#openUntil = null;
    this.#probe = null;
    this.#lastFailureAt = null;
  }

  #fail(attempt: Attempt, now: number): void {
    this.#lastFailureAt = now;
    if (this.#openUntil === null) {
      this.#failures++;
      if (this.#failures >= this.#options.threshold) this.#openUntil = now + this.#openMs;
    } else if (this.#probe === attempt) {
      // Attempts that entered before it opened end here too; only the probe keeps it open for longer.
      this.#probe = null;
      this.#openMs = Math.min(this.#openMs * 2, this.#options.maxOpenMs);
      this.#openUntil = now + this.#openMs;
    }
  }

  /** Whether an attempt failed less than one opening time ago, and none succeeded since. */
  hasRecentFailures(now: number): boolean {
    return this.#lastFailureAt !== null && Math.abs(now - this.#lastFailureAt) < this.#options.openMs;
  }

  /** Nothing worth remembering. */
  get idle(): boolean {
    return this.#lastFailureAt === null && this.#probe === null;
  }
}
