import type { EntryCursor } from './entry';

const MIN_SLOTS = 1024;
const VALUES = 4;

/** Counters of one connection, both directions. */
export type DirectionCounters = Pick<EntryCursor, 'originalBytes' | 'originalPackets' | 'replyBytes' | 'replyPackets'>;

/**
 * Remembers the byte and packet counters of all connections from one dump to the next, so that each heartbeat can say
 * what is new. Two open addressing tables change places at every dump: what a dump does not mention is forgotten.
 */
export class CounterMemory {
  private previous = new Generation(MIN_SLOTS);
  private current = new Generation(MIN_SLOTS);
  private dumps = 0;

  /** Whether counters of an earlier dump exist to compare with. */
  get isPrimed(): boolean {
    return this.dumps > 1;
  }

  startDump(): void {
    [this.previous, this.current] = [this.current, this.previous];
    this.current.reset(Math.max(MIN_SLOTS, 4 * this.previous.size));
    this.dumps += 1;
  }

  /**
   * Notes a connection's counters.
   * @returns its former ones (overwritten by the next call), or null when the last dump did not have the connection
   */
  exchange(entry: EntryCursor): DirectionCounters | null {
    this.current.put(entry);
    return this.previous.get(entry.id, entry.check);
  }
}

class Generation {
  size = 0;
  private mask = 0;
  private keys = new Uint32Array(0);
  private values = new Float64Array(0);
  private used = new Uint8Array(0);
  private readonly found = { originalBytes: 0, originalPackets: 0, replyBytes: 0, replyPackets: 0 };

  constructor(slots: number) {
    this.allocate(slots);
  }

  reset(wantedSlots: number): void {
    const slots = 2 ** Math.ceil(Math.log2(wantedSlots));
    this.size = 0;
    if (slots === this.mask + 1) this.used.fill(0);
    else this.allocate(slots);
  }

  get(id: number, check: number): DirectionCounters | null {
    const slot = this.slot(id, check);
    if (this.used[slot] === 0) return null;
    const { found, values } = this;
    found.originalBytes = values[VALUES * slot] as number;
    found.originalPackets = values[VALUES * slot + 1] as number;
    found.replyBytes = values[VALUES * slot + 2] as number;
    found.replyPackets = values[VALUES * slot + 3] as number;
    return found;
  }

  put(entry: EntryCursor): void {
    if (2 * this.size > this.mask) this.grow();
    const slot = this.claim(entry.id, entry.check);
    const { values } = this;
    values[VALUES * slot] = entry.originalBytes;
    values[VALUES * slot + 1] = entry.originalPackets;
    values[VALUES * slot + 2] = entry.replyBytes;
    values[VALUES * slot + 3] = entry.replyPackets;
  }

  private allocate(slots: number): void {
    this.mask = slots - 1;
    this.keys = new Uint32Array(2 * slots);
    this.values = new Float64Array(VALUES * slots);
    this.used = new Uint8Array(slots);
  }

  private claim(id: number, check: number): number {
    const slot = this.slot(id, check);
    if (this.used[slot] === 0) {
      this.used[slot] = 1;
      this.keys[2 * slot] = id;
      this.keys[2 * slot + 1] = check;
      this.size += 1;
    }
    return slot;
  }

  private slot(id: number, check: number): number {
    let slot = (Math.imul(id ^ (check >>> 7), 0x9e3779b1) >>> 8) & this.mask;
    while (this.used[slot] === 1 && (this.keys[2 * slot] !== id || this.keys[2 * slot + 1] !== check)) {
      slot = (slot + 1) & this.mask;
    }
    return slot;
  }

  private grow(): void {
    const { keys, values, used } = this;
    this.allocate(2 * (this.mask + 1));
    this.size = 0;
    for (let old = 0; old < used.length; old += 1) {
      if (used[old] === 0) continue;
      const slot = this.claim(keys[2 * old] as number, keys[2 * old + 1] as number);
      this.values.set(values.subarray(VALUES * old, VALUES * old + VALUES), VALUES * slot);
    }
  }
}
