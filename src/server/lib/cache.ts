import { getMoment } from './moment';
import { processState } from './process-state';

/** What a cache did since the process began, and what it holds. Null: not known. */
export type CacheStats = { name: string; entries: number | null; bytes: number | null; hits: number; misses: number };

/** Caches of the modules that this process loaded. */
const caches: { stats: () => CacheStats }[] = [];

/** All caches by name; those of one name as one. */
export function cacheStats(): CacheStats[] {
  const byName = new Map<string, CacheStats>();
  const sum = (a: number | null, b: number | null) => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));
  for (const { stats } of caches) {
    const one = stats();
    const { name, entries, bytes, hits, misses } = byName.get(one.name) ?? {
      ...one,
      entries: null,
      bytes: null,
      hits: 0,
      misses: 0,
    };
    byName.set(name, {
      name,
      entries: sum(entries, one.entries),
      bytes: sum(bytes, one.bytes),
      hits: hits + one.hits,
      misses: misses + one.misses,
    });
  }
  return [...byName.values()];
}

type Options<V, S> = {
  /** The label in the metrics. */
  name: string;
  /** Whether an entry that was loaded under `kept` answers a reader who asks under `asked`. Without it entries stay fresh. */
  isFresh?: (kept: S, asked: S) => boolean;
  /**
   * Whether no reader can use an entry that was loaded under `kept` when one is loaded under `asked`. Such entries go then, least
   * recently used first, instead of staying until the limit is reached.
   */
  isOver?: (kept: S, asked: S) => boolean;
  /** Entries beyond these go, least recently used first. */
  maxEntries?: number;
  /** Likewise by size; a single entry may exceed it. */
  maxBytes?: number;
  bytesOf?: (value: V) => number;
  /** What a value counts as in the metrics, if it holds several entries itself. */
  entriesOf?: (value: V) => number;
  /** A promise that fails stays until it is not fresh. Otherwise it goes, and the next reader tries again. */
  keepsFailures?: boolean;
};
type Entry<V, S> = { value: V; seal: S; bytes: number };

/** A cache by text. Readers in reach of different things must have different keys: the reach is part of the key. */
class Cache<V, S> {
  readonly #options: Options<V, S>;
  readonly #state = processState(() => ({ kept: new Map<string, Entry<V, S>>(), bytes: 0, hits: 0, misses: 0 }));

  constructor(options: Options<V, S>) {
    this.#options = options;
    caches.push(this);
  }

  /**
   * The value of a key, loaded unless a fresh one is there. A value may be a promise: readers at the same time share it.
   * @param seal what the value depends on: a version, the time, the objects that it is made from
   */
  load(key: string, seal: S, make: () => V): V {
    const entry = this.#find(key, seal);
    if (entry) return entry.value;
    this.#state.misses += 1;
    return this.#keep(key, seal, make());
  }

  /** The value of a key if a fresh one is there. */
  peek(key: string, seal: S): V | undefined {
    return this.#find(key, seal)?.value;
  }

  /** Forgets everything; the counters go on. */
  clear(): void {
    this.#state.kept.clear();
    this.#state.bytes = 0;
  }

  stats = (): CacheStats => {
    const { name, bytesOf, entriesOf } = this.#options;
    const { kept, bytes, hits, misses } = this.#state;
    const entries = entriesOf ? [...kept.values()].reduce((sum, { value }) => sum + entriesOf(value), 0) : kept.size;
    return { name, entries, bytes: bytesOf ? bytes : null, hits, misses };
  };

  #find(key: string, seal: S): Entry<V, S> | null {
    const { kept } = this.#state;
    const entry = kept.get(key);
    const { isFresh } = this.#options;
    if (!entry || (isFresh && !isFresh(entry.seal, seal))) return null;
    this.#state.hits += 1;
    // A map keeps the order of insertion: the young end is what was used last.
    kept.delete(key);
    kept.set(key, entry);
    return entry;
  }

  #keep(key: string, seal: S, value: V): V {
    const {
      bytesOf,
      isOver,
      keepsFailures,
      maxEntries = Number.POSITIVE_INFINITY,
      maxBytes = Number.POSITIVE_INFINITY,
    } = this.#options;
    const entry = { value, seal, bytes: bytesOf?.(value) ?? 0 };
    this.#forget(key);
    const state = this.#state;
    state.kept.set(key, entry);
    state.bytes += entry.bytes;
    for (const [oldest, { seal: kept }] of state.kept) {
      const isFull = state.kept.size > maxEntries || state.bytes > maxBytes;
      if (oldest === key || !(isFull || isOver?.(kept, seal))) break;
      this.#forget(oldest);
    }
    if (value instanceof Promise && !keepsFailures) {
      value.catch(() => {
        if (state.kept.get(key) === entry) this.#forget(key);
      });
    }
    return value;
  }

  #forget(key: string): void {
    const entry = this.#state.kept.get(key);
    if (!entry) return;
    this.#state.kept.delete(key);
    this.#state.bytes -= entry.bytes;
  }
}

/** A cache by object: an entry goes with its object, so it needs no limit. */
class ObjectCache<K extends object, V, S> {
  readonly #options: Pick<Options<V, S>, 'name' | 'isFresh'>;
  readonly #state = processState(() => ({
    kept: new WeakMap<K, Pick<Entry<V, S>, 'value' | 'seal'>>(),
    hits: 0,
    misses: 0,
  }));

  constructor(options: Pick<Options<V, S>, 'name' | 'isFresh'>) {
    this.#options = options;
    caches.push(this);
  }

  /** As `load` of a cache by text. */
  load(key: K, seal: S, make: () => V): V {
    const entry = this.#state.kept.get(key);
    const { isFresh } = this.#options;
    if (entry && (!isFresh || isFresh(entry.seal, seal))) {
      this.#state.hits += 1;
      return entry.value;
    }
    this.#state.misses += 1;
    const value = make();
    this.#state.kept.set(key, { value, seal });
    if (value instanceof Promise) {
      value.catch(() => {
        if (this.#state.kept.get(key)?.value === value) this.#state.kept.delete(key);
      });
    }
    return value;
  }

  stats = (): CacheStats => {
    const { hits, misses } = this.#state;
    return { name: this.#options.name, entries: null, bytes: null, hits, misses };
  };
}

type Shared<T> = { value: T | null; running: Promise<T> | null; next: Promise<T> | null; hits: number; misses: number };

/** One value of the whole process that is brought up to date, once for all who ask at the same time. */
class SharedValue<T extends object> {
  readonly #state = processState<Shared<T>>(() => ({ value: null, running: null, next: null, hits: 0, misses: 0 }));
  readonly #refresh: (before: T | null) => Promise<T>;

  /** @param refresh makes the value of now; it returns `before` where that is still right */
  constructor(
    readonly name: string,
    refresh: (before: T | null) => Promise<T>,
  ) {
    this.#refresh = refresh;
    caches.push(this);
  }

  /** The value, as it is while `isFresh`; otherwise as of a refresh that may be under way already. */
  async read(isFresh: (value: T) => boolean): Promise<T> {
    const { value, running } = this.#state;
    if (value && isFresh(value)) {
      this.#state.hits += 1;
      return value;
    }
    return running !== null ? this.#join(running) : this.#start();
  }

  /** The value of now or later: a refresh that began before the call does not do. */
  readNow(): Promise<T> {
    const state = this.#state;
    if (state.running === null) return this.#start();
    if (state.next !== null) return this.#join(state.next);
    const next = state.running
      .catch(() => undefined)
      .then(() => {
        state.next = null;
        return this.#start();
      });
    state.next = next;
    return next;
  }

  stats = (): CacheStats => {
    const { value, hits, misses } = this.#state;
    return { name: this.name, entries: Number(value !== null), bytes: null, hits, misses };
  };

  #join(refresh: Promise<T>): Promise<T> {
    this.#state.hits += 1;
    return refresh;
  }

  #start(): Promise<T> {
    if (getMoment() !== null) throw new Error(`expected no reading as of a time: ${this.name} is of now`);
    const state = this.#state;
    const before = state.value;
    const mine = this.#refresh(before)
      .then((value) => {
        state.value = value;
        state[value === before ? 'hits' : 'misses'] += 1;
        return value;
      })
      .finally(() => {
        if (state.running === mine) state.running = null;
      });
    state.running = mine;
    return mine;
  }
}

/** A cache of this process by text, counted in the metrics under its name, which tests can reset. */
export const cache = <V, S = null>(options: Options<V, S>): Cache<V, S> => new Cache(options);

/** A cache by object. */
export const objectCache = <K extends object, V, S = null>(
  options: Pick<Options<V, S>, 'name' | 'isFresh'>,
): ObjectCache<K, V, S> => new ObjectCache(options);

/** A cache of one value that is brought up to date. */
export const sharedValue = <T extends object>(
  name: string,
  refresh: (before: T | null) => Promise<T>,
): SharedValue<T> => new SharedValue(name, refresh);
