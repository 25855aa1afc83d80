/** Readings that are kept; each is at most some thousand rows. */
const MAX_KEPT = 24;

/**
 * Readings of the sums of traffic that many viewers share: one is made once for each state of the sums, however many ask for it
 * at the same time. The one that was used least recently goes first.
 */
export class SharedSums<T> {
  readonly #kept = new Map<string, { version: number; value: Promise<T> }>();

  /** @param version of the sums, read before: what is read then is of this state or a later one */
  get(key: string, version: number, read: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    // A reader who looked earlier may come later: what is newer will do.
    const entry = kept && kept.version >= version ? kept : { version, value: read() };
    this.#kept.set(key, entry);
    entry.value.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return entry.value;
  }
}
