import { addressFromWords } from '../net/addresses';
import { DIRECTION, FLOW_FLAGS } from './ebpf/layout';

const MIN_ROWS = 1024;
const MAX_ROWS = 131_072;
/** 32 bit words of a key, laid out as in the kernel map (capture/ebpf/layout.ts). */
export const KEY_WORDS = 11;
/** Where the parts of a key begin: two addresses of four words, both ports, VLAN with protocol and direction, interface. */
export const WORD = { source: 0, destination: 4, ports: 8, tags: 9, ifindex: 10 } as const;

/**
 * Flows of the capture, one row per (5-tuple, VLAN, direction, interface), in typed arrays: twenty thousand rows are
 * updated every few seconds and only the few that are sent ever become objects.
 *
 * Each row counts in total and since the last `startInterval()`. Times are wall milliseconds.
 */
export class FlowTable {
  /** Rows in use; row numbers are 0 … size - 1 and change only in `forget()`. */
  size = 0;
  /** Packets and bytes that found no room, since the last `startInterval()`. */
  overflow = { packets: 0, bytes: 0 };
  private capacity = MIN_ROWS;
  private index = new Int32Array(2 * MIN_ROWS);
  keys = new Uint32Array(MIN_ROWS * KEY_WORDS);
  flags = new Uint32Array(MIN_ROWS);
  packets = new Float64Array(MIN_ROWS);
  bytes = new Float64Array(MIN_ROWS);
  newPackets = new Float64Array(MIN_ROWS);
  newBytes = new Float64Array(MIN_ROWS);
  first = new Float64Array(MIN_ROWS);
  last = new Float64Array(MIN_ROWS);

  constructor(private readonly maxRows = MAX_ROWS) {}

  /** Adds counts to the row of the key that starts at word `at` of `words`. */
  add(
    words: Uint32Array,
    at: number,
    packets: number,
    bytes: number,
    first: number,
    last: number,
    flags: number,
  ): void {
    const row = this.findOrInsert(words, at);
    if (row < 0) {
      this.overflow.packets += packets;
      this.overflow.bytes += bytes;
      return;
    }
    if (this.packets[row] === 0) this.first[row] = first;
    this.packets[row] = (this.packets[row] as number) + packets;
    this.bytes[row] = (this.bytes[row] as number) + bytes;
    this.newPackets[row] = (this.newPackets[row] as number) + packets;
    this.newBytes[row] = (this.newBytes[row] as number) + bytes;
    if (last > (this.last[row] as number)) this.last[row] = last;
    const known = this.flags[row] as number;
    // A new SYN after the end of a connection is another connection between the same ports.
    const reopened = (flags & FLOW_FLAGS.opened) !== 0 && (known & (FLOW_FLAGS.fin | FLOW_FLAGS.rst)) !== 0;
    this.flags[row] = reopened ? flags : known | flags;
  }

  /** Begins a new reporting interval: what was counted so far is no longer new. */
  startInterval(): void {
    this.newPackets.fill(0, 0, this.size);
    this.newBytes.fill(0, 0, this.size);
    this.overflow = { packets: 0, bytes: 0 };
  }

  /** Removes rows whose last packet is older than `from`, or of a clock that was put back since. Row numbers change. */
  forget(from: number, until = Number.POSITIVE_INFINITY): void {
    let kept = 0;
    for (let row = 0; row < this.size; row += 1) {
      const last = this.last[row] as number;
      if (last < from || last > until) continue;
      if (kept !== row) this.moveRow(row, kept);
      kept += 1;
    }
    if (kept === this.size) return;
    for (const column of [
      this.packets,
      this.bytes,
      this.newPackets,
      this.newBytes,
      this.first,
      this.last,
      this.flags,
    ]) {
      column.fill(0, kept, this.size);
    }
    this.size = kept;
    this.rebuildIndex();
  }

  /** A word of a row's key (see `WORD`). */
  word(row: number, part: number): number {
    return this.keys[row * KEY_WORDS + part] as number;
  }

  /** Text of one of a row's addresses. */
  address(row: number, part: typeof WORD.source | typeof WORD.destination): string {
    return addressFromWords(this.keys, row * KEY_WORDS + part);
  }

  protocol(row: number): number {
    return (this.word(row, WORD.tags) >>> 16) & 0xff;
  }

  vlan(row: number): number {
    return this.word(row, WORD.tags) & 0xffff;
  }

  isFromGuest(row: number): boolean {
    return this.word(row, WORD.tags) >>> 24 === DIRECTION.fromGuest;
  }

  private findOrInsert(words: Uint32Array, at: number): number {
    const mask = this.index.length - 1;
    let slot = hashWords(words, at, KEY_WORDS) & mask;
    for (let entry = this.index[slot] as number; entry !== 0; entry = this.index[slot] as number) {
      if (this.sameKey(entry - 1, words, at)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    if (this.size === this.capacity) {
      if (this.capacity >= this.maxRows) return -1;
      this.grow();
      return this.findOrInsert(words, at);
    }
    const row = this.size;
    this.size += 1;
    this.index[slot] = row + 1;
    for (let i = 0; i < KEY_WORDS; i += 1) this.keys[row * KEY_WORDS + i] = words[at + i] as number;
    return row;
  }

  private sameKey(row: number, words: Uint32Array, at: number): boolean {
    const base = row * KEY_WORDS;
    for (let i = 0; i < KEY_WORDS; i += 1) if (this.keys[base + i] !== words[at + i]) return false;
    return true;
  }

  private moveRow(from: number, to: number): void {
    this.keys.copyWithin(to * KEY_WORDS, from * KEY_WORDS, (from + 1) * KEY_WORDS);
    for (const column of [
      this.packets,
      this.bytes,
      this.newPackets,
      this.newBytes,
      this.first,
      this.last,
      this.flags,
    ]) {
      column[to] = column[from] as number;
    }
  }

  private grow(): void {
    this.capacity = Math.min(this.capacity * 2, this.maxRows);
    const wider = (column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
      const next = new Float64Array(this.capacity);
      next.set(column);
      return next;
    };
    const keys = new Uint32Array(this.capacity * KEY_WORDS);
    keys.set(this.keys);
    this.keys = keys;
    const flags = new Uint32Array(this.capacity);
    flags.set(this.flags);
    this.flags = flags;
    this.packets = wider(this.packets);
    this.bytes = wider(this.bytes);
    this.newPackets = wider(this.newPackets);
    this.newBytes = wider(this.newBytes);
    this.first = wider(this.first);
    this.last = wider(this.last);
    this.index = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.capacity)));
    this.rebuildIndex();
  }

  private rebuildIndex(): void {
    this.index.fill(0);
    const mask = this.index.length - 1;
    for (let row = 0; row < this.size; row += 1) {
      let slot = hashWords(this.keys, row * KEY_WORDS, KEY_WORDS) & mask;
      while (this.index[slot] !== 0) slot = (slot + 1) & mask;
      this.index[slot] = row + 1;
    }
  }
}

/** Hash of some 32 bit words; good enough for open addressing with linear probing. */
export function hashWords(words: Uint32Array, at: number, count: number): number {
  let hash = 0x9e3779b1;
  for (let i = 0; i < count; i += 1) {
    hash = Math.imul(hash ^ (words[at + i] as number), 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
