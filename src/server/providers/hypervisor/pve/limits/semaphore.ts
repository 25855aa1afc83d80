/** At most `size` concurrent holders; the others wait in the order of their requests. */
export class Semaphore {
  #free: number;
  readonly #size: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
    this.#size = size;
  }

  /** It has no holders and no waiters. */
  get idle(): boolean {
    return this.#free === this.#size;
  }

  /** Runs `work` as one of the holders. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
