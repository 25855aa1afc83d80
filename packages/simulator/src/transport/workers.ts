/** One worker process: it executes one handler at a time, the rest wait in line. */
export class Worker {
  #tail: Promise<void> = Promise.resolve();
  #pending = 0;
  /** Handlers executed since the process started; a proxy worker retires after 1000. */
  served = 0;

  /** Running and waiting handlers. */
  get load(): number {
    return this.#pending;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    let release = () => {};
    this.#tail = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#pending++;
    try {
      await before;
      return await task();
    } finally {
      this.#pending--;
      this.served++;
      release();
    }
  }
}

/** The worker processes of a node: unprivileged proxies that own their connections, privileged daemons behind them. */
export class NodeWorkers {
  readonly proxies: Worker[];
  readonly daemons: Worker[];
  readonly #random: () => number;

  constructor(count: number, random: () => number) {
    this.proxies = Array.from({ length: count }, () => new Worker());
    this.daemons = Array.from({ length: count }, () => new Worker());
    this.#random = random;
  }

  /**
   * The proxy worker that accepts a new connection: any idle one, and it keeps the connection. A burst may therefore
   * pile up on one worker while others idle.
   */
  acceptingProxy(): Worker {
    return this.#pick(this.proxies);
  }

  /** The daemon worker that takes a forwarded call. */
  acceptingDaemon(): Worker {
    return this.#pick(this.daemons);
  }

  #pick(workers: Worker[]): Worker {
    const least = Math.min(...workers.map((worker) => worker.load));
    const candidates = workers.filter((worker) => worker.load === least);
    return candidates[Math.floor(this.#random() * candidates.length)] as Worker;
  }
}
