import { COUNTER, type EntryCursor } from './entry';

const MIN_ROWS = 1024;
const VALUES = COUNTER.count;

/**
 * Remembers the byte and packet counters of all connections from one dump to the next, so that each heartbeat can say
 * what is new. Two tables change places at the end of every dump: what a dump does not mention is forgotten. A dump that
 * fails changes nothing.
 */
export class CounterMemory {
  private previous = new Generation(MIN_ROWS);
  private current = new Generation(MIN_ROWS);
  /** Whether counters of an earlier dump exist to compare with. */
  isPrimed = false;

  startDump(): void {
    this.current.reset(Math.max(MIN_ROWS, Math.ceil(1.25 * this.previous.size)));
  }

  endDump(): void {
    [this.previous, this.current] = [this.current, this.previous];
    this.isPrimed = true;
  }

  /** Makes the next dump the first one. */
  reset(): void {
    this.previous.reset(MIN_ROWS);
    this.isPrimed = false;
  }

  /**
   * Notes a connection's counters.
   * @returns its former ones (overwritten by the next call), or null when the last complete dump did not have the connection
   */
  exchange({ identity, counters }: EntryCursor): Float64Array | null {
    const id = identity[0] as number;
    const check = identity[1] as number;
    this.current.put(id, check, counters);
    return this.previous.get(id, check);
  }
}

/**
 * One dump's counters. Rows keep the order of the dump, which the kernel keeps from one dump to the next, and a small
 * index leads to them: reading and writing go through memory in order.
 */
class Generation {
  size = 0;
  private capacity = 0;
  private keys = new Uint32Array(0);
  private values = new Float64Array(0);
  private index = new Int32Array(0);
  private readonly found = new Float64Array(VALUES);

  constructor(capacity: number) {
    this.allocate(capacity);
  }

  /** Empties the table and makes room for so many rows. */
  reset(capacity: number): void {
    this.size = 0;
    if (capacity <= this.capacity && capacity * 4 > this.capacity) this.index.fill(0);
    else this.allocate(capacity);
  }

  get(id: number, check: number): Float64Array | null {
    const { found, values } = this;
    const row = (this.index[this.slot(id, check)] as number) - 1;
    if (row < 0) return null;
    for (let i = 0; i < VALUES; i += 1) found[i] = values[VALUES * row + i] as number;
    return found;
  }

  put(id: number, check: number, counters: Float64Array): void {
    if (this.size === this.capacity) this.grow();
    const slot = this.slot(id, check);
    let row = (this.index[slot] as number) - 1;
    if (row < 0) {
      row = this.size;
      this.size += 1;
      this.index[slot] = row + 1;
      this.keys[2 * row] = id;
      this.keys[2 * row + 1] = check;
    }
    const { values } = this;
    for (let i = 0; i < VALUES; i += 1) values[VALUES * row + i] = counters[i] as number;
  }

  private allocate(capacity: number): void {
    this.capacity = capacity;
    this.keys = new Uint32Array(2 * capacity);
    this.values = new Float64Array(VALUES * capacity);
    this.index = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity)));
  }

  private slot(id: number, check: number): number {
    const { keys, index } = this;
    const mask = index.length - 1;
    let slot = (Math.imul(id ^ (check >>> 7), 0x9e3779b1) >>> 8) & mask;
    for (let row = (index[slot] as number) - 1; row >= 0; row = (index[slot] as number) - 1) {
      if (keys[2 * row] === id && keys[2 * row + 1] === check) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private grow(): void {
    const { keys, values, size } = this;
    this.allocate(2 * this.capacity);
    this.keys.set(keys);
    this.values.set(values);
    for (let row = 0; row < size; row += 1) {
      this.index[this.slot(keys[2 * row] as number, keys[2 * row + 1] as number)] = row + 1;
    }
  }
}
