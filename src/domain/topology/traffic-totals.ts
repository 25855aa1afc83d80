import type { ConversationTable } from './conversation-table';

/** Traffic that is added up. */
export type Traffic = { bytes: number; packets: number; flows: number };

const FIRST_SIZE = 1024;
/** Odd numbers with scattered bits: numbers that follow each other do not get places that do. */
const [SCATTER_ONE, SCATTER_OTHER] = [0x9e3779b1, 0x85ebca6b];

/** Numbers pairs of numbers below 2^32, from 0 in the order in which they first appear. */
export class PairNumbers {
  /** Of each pair. */
  one = new Uint32Array(FIRST_SIZE);
  other = new Uint32Array(FIRST_SIZE);
  size = 0;
  /** Number of the pair at a place, plus one; 0: the place is free. At most half of the places are taken. */
  #places = new Uint32Array(2 * FIRST_SIZE);

  /** The number of a pair that may not have one: then it is -1. */
  find(one: number, other: number): number {
    return (this.#places[this.#findPlace(one, other)] as number) - 1;
  }

  numberOf(one: number, other: number): number {
    const at = this.#findPlace(one, other);
    const known = this.#places[at] as number;
    if (known > 0) return known - 1;
    const number = this.size++;
    this.one[number] = one;
    this.other[number] = other;
    this.#places[at] = number + 1;
    if (this.size === this.one.length) this.#grow();
    return number;
  }

  #findPlace(one: number, other: number): number {
    const mask = this.#places.length - 1;
    const mixed = Math.imul(one, SCATTER_ONE) ^ Math.imul(other, SCATTER_OTHER);
    for (let at = (mixed ^ (mixed >>> 15)) & mask; ; at = (at + 1) & mask) {
      const number = this.#places[at] as number;
      if (number === 0 || (this.one[number - 1] === one && this.other[number - 1] === other)) return at;
    }
  }

  #grow(): void {
    this.one = extendColumn(this.one, new Uint32Array(2 * this.size));
    this.other = extendColumn(this.other, new Uint32Array(2 * this.size));
    this.#places = new Uint32Array(4 * this.size);
    for (let number = 0; number < this.size; number++) {
      this.#places[this.#findPlace(this.one[number] as number, this.other[number] as number)] = number + 1;
    }
  }
}

function extendColumn<T extends Uint32Array | Float64Array>(column: T, longer: T): T {
  longer.set(column);
  return longer;
}

/** Traffic of things that have numbers, in columns: a map has hundreds of thousands of conversations. */
export class TrafficTotals {
  bytes = new Float64Array(FIRST_SIZE);
  packets = new Float64Array(FIRST_SIZE);
  flows = new Float64Array(FIRST_SIZE);
  /** Milliseconds since 1970; 0: never. */
  last_seen = new Float64Array(FIRST_SIZE);

  /** Adds a row of a table to what has this number. */
  add(number: number, table: ConversationTable, row: number): void {
    while (number >= this.bytes.length) this.#grow();
    this.bytes[number] = (this.bytes[number] as number) + (table.bytes[row] as number);
    this.packets[number] = (this.packets[number] as number) + (table.packets[row] as number);
    this.flows[number] = (this.flows[number] as number) + (table.flows[row] as number);
    const last_seen = table.last_seen[row] as number;
    if (last_seen > (this.last_seen[number] as number)) this.last_seen[number] = last_seen;
  }

  read(number: number): Traffic {
    return {
      bytes: this.bytes[number] as number,
      packets: this.packets[number] as number,
      flows: this.flows[number] as number,
    };
  }

  /** Negative when the first has more bytes, or as many and more flows. */
  compare(one: number, other: number): number {
    const { bytes, flows } = this;
    return (bytes[other] as number) - (bytes[one] as number) || (flows[other] as number) - (flows[one] as number);
  }

  #grow(): void {
    const size = 2 * this.bytes.length;
    this.bytes = extendColumn(this.bytes, new Float64Array(size));
    this.packets = extendColumn(this.packets, new Float64Array(size));
    this.flows = extendColumn(this.flows, new Float64Array(size));
    this.last_seen = extendColumn(this.last_seen, new Float64Array(size));
  }
}
