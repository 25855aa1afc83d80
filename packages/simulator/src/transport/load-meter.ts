export type Load = { current: number /** Highest concurrent number. */; max: number /** Calls ever. */; total: number };

/**
 * Counts calls in flight per label, so that tests can assert a client's limits. Labels:
 * `entry:<node>` calls of clients at a node · `pveproxy:<node>`, `pvedaemon:<node>` calls executing or queued there ·
 * `agent:<node>` guest agent calls · `guest-write:<vmid>` writes about one guest · `firewall-write` in the cluster.
 */
export class LoadMeter {
  readonly #loads = new Map<string, Load>();

  async track<T>(labels: readonly string[], task: () => Promise<T>): Promise<T> {
    for (const label of labels) {
      const load = this.#loads.get(label) ?? { current: 0, max: 0, total: 0 };
      load.current++;
      load.total++;
      load.max = Math.max(load.max, load.current);
      this.#loads.set(label, load);
    }
    try {
      return await task();
    } finally {
      for (const label of labels) {
        const load = this.#loads.get(label);
        if (load) load.current--;
      }
    }
  }

  get(label: string): Load {
    return { ...(this.#loads.get(label) ?? { current: 0, max: 0, total: 0 }) };
  }

  /** Highest value among the labels with this prefix, for example `agent:`. */
  maxOf(prefix: string): number {
    let max = 0;
    for (const [label, load] of this.#loads) if (label.startsWith(prefix)) max = Math.max(max, load.max);
    return max;
  }

  all(): Record<string, Load> {
    return Object.fromEntries([...this.#loads].map(([label, load]) => [label, { ...load }]));
  }

  /** Forgets maxima and totals; calls in flight stay counted. */
  reset(): void {
    for (const [label, load] of this.#loads) {
      if (load.current === 0) this.#loads.delete(label);
      else this.#loads.set(label, { current: load.current, max: load.current, total: 0 });
    }
  }
}
