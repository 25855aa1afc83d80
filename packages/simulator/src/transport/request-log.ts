export type LoggedRequest = {
  /** Virtual ms since the epoch. */
  at: number;
  cluster: string;
  /** The node the client connected to. */
  node: string;
  method: string;
  /** Path below `/api2/json`, without the query. */
  path: string;
  /** Path with placeholders, or undefined for an unknown path. */
  pattern: string | undefined;
  params: Record<string, string>;
  subject: string | undefined;
  /** 0 when the connection was cut without an answer. */
  status: number;
  reason: string;
  /** Virtual milliseconds from arrival to answer. */
  durationMs: number;
};

/** The latest requests, and how many there were per `METHOD pattern`. Secrets never get here. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  readonly #counts = new Map<string, number>();
  readonly #limit: number;

  constructor(limit = 5000) {
    this.#limit = limit;
  }

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.#limit) this.#entries.splice(0, this.#entries.length - this.#limit);
    const key = `${entry.method} ${entry.pattern ?? '(unknown)'}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  entries(filter: { method?: string; path?: string | RegExp; node?: string } = {}): LoggedRequest[] {
    return this.#entries.filter(
      (entry) =>
        (filter.method === undefined || entry.method === filter.method) &&
        (filter.node === undefined || entry.node === filter.node) &&
        (filter.path === undefined ||
          (typeof filter.path === 'string' ? entry.path === filter.path : filter.path.test(entry.path))),
    );
  }

  /** Requests per `METHOD pattern` since the last reset. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  get total(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  reset(): void {
    this.#entries.length = 0;
    this.#counts.clear();
  }
}
