/** A map that makes its values on demand and forgets idle ones, oldest use first, beyond `limit` entries. */
export class BoundedMap<T> {
  readonly #entries = new Map<string, T>();

  constructor(
    private readonly limit: number,
    private readonly make: () => T,
    private readonly isIdle: (value: T) => boolean,
  ) {}

  get(key: string): T {
    const value = this.#entries.get(key) ?? this.make();
    // Map keeps insertion order: setting again moves the key to the young end.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.limit) this.#forget(key);
    return value;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Entries in use are never forgotten, so the map may exceed its limit while more than that are in use. */
  #forget(keep: string): void {
    for (const [key, value] of this.#entries) {
      if (this.#entries.size <= this.limit) return;
      if (key !== keep && this.isIdle(value)) this.#entries.delete(key);
    }
  }
}
