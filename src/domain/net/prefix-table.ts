import { type Cidr, toNetwork } from './cidr';
import { addressBits, type IpAddress } from './ip-address';

/** 32-bit words of the widest address; an IPv4 address is one word. */
const WORDS = { 4: 1, 6: 4 } as const;
/** The first 16 bits of an address choose where the search begins. */
const HEAD_BITS = 16;

/**
 * The networks of one family as disjoint stretches of addresses in order, each with the longest network that holds it.
 * One binary search over numbers answers a lookup, whatever the nesting.
 */
class Stretches {
  readonly #words: number;
  /** First address of each stretch, most significant word first, stretch after stretch. */
  readonly #starts: Uint32Array;
  /** Index of the value of each stretch, -1 where no network is. */
  readonly #values: Int32Array;
  /** For each value of the first 16 bits, the last stretch that begins before or at their first address. */
  readonly #heads: Uint32Array;

  constructor(family: 4 | 6, networks: readonly { first: bigint; last: bigint }[]) {
    this.#words = WORDS[family];
    const { starts, values } = flatten(networks, (1n << BigInt(addressBits(family))) - 1n);
    this.#starts = new Uint32Array(starts.length * this.#words);
    for (const [i, start] of starts.entries()) writeWords(start, this.#words, this.#starts, i * this.#words);
    this.#values = Int32Array.from(values);
    this.#heads = new Uint32Array((1 << HEAD_BITS) + 1);
    let at = 0;
    for (let head = 0; head < 1 << HEAD_BITS; head++) {
      const low = (head << (32 - HEAD_BITS)) >>> 0;
      while (at + 1 < starts.length && this.#isAtOrBefore(at + 1, low, 0, 0, 0)) at++;
      this.#heads[head] = at;
    }
    this.#heads[1 << HEAD_BITS] = starts.length - 1;
  }

  /** Whether the stretch begins at or before the address; words beyond those of the family are not looked at. */
  #isAtOrBefore(stretch: number, a: number, b: number, c: number, d: number): boolean {
    const starts = this.#starts;
    const at = stretch * this.#words;
    const first = starts[at] as number;
    if (first !== a || this.#words === 1) return first <= a;
    const second = starts[at + 1] as number;
    if (second !== b) return second < b;
    const third = starts[at + 2] as number;
    if (third !== c) return third < c;
    return (starts[at + 3] as number) <= d;
  }

  /** Index of the network that holds the address, -1 for none. */
  find(a: number, b: number, c: number, d: number): number {
    const head = a >>> (32 - HEAD_BITS);
    let low = this.#heads[head] as number;
    let high = this.#heads[head + 1] as number;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#isAtOrBefore(middle, a, b, c, d)) low = middle;
      else high = middle - 1;
    }
    return this.#values[low] as number;
  }
}

function writeWords(value: bigint, words: number, into: Uint32Array, at: number): void {
  for (let i = 0; i < words; i++) into[at + i] = Number((value >> BigInt(32 * (words - 1 - i))) & 0xffffffffn);
}

/** Cuts nested networks into disjoint stretches. Networks either nest or are apart; they come in order, wide before narrow. */
function flatten(networks: readonly { first: bigint; last: bigint }[], highest: bigint) {
  const starts: bigint[] = [0n];
  const values: number[] = [-1];
  const open: number[] = [];
  const begin = (start: bigint, value: number) => {
    if (starts.at(-1) === start) values[values.length - 1] = value;
    else {
      starts.push(start);
      values.push(value);
    }
  };
  const closeBefore = (limit: bigint) => {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const { last } = networks[top] as { last: bigint };
      if (last >= limit) return;
      open.pop();
      if (last < highest) begin(last + 1n, open.at(-1) ?? -1);
    }
  };
  for (const [index, { first }] of networks.entries()) {
    closeBefore(first);
    begin(first, index);
    open.push(index);
  }
  closeBefore(highest + 1n);
  return { starts, values };
}

type Network<T> = { first: bigint; last: bigint; prefix: number; value: T };

const scratch = new BigUint64Array(2);
const scratchWords = new Uint32Array(scratch.buffer);
/** Index of the lower and the upper half of a 64-bit number on this machine. */
const LOW = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1;
const HIGH = 1 - LOW;
const word = (index: number) => scratchWords[index] as number;

/** This many networks are scanned one by one before the whole table is sorted again. */
const MAX_RECENT = 256;

/**
 * Longest-prefix lookup, exact for both families. The first lookup puts the networks in order, which takes some
 * milliseconds for ten thousand; each one then takes well under a microsecond. Networks that are added afterwards are few
 * for a while and looked at one by one.
 */
export class PrefixTable<T> {
  readonly #networks: Record<4 | 6, Map<string, Network<T>>> = { 4: new Map(), 6: new Map() };
  readonly #ordered: Record<4 | 6, { stretches: Stretches; networks: Network<T>[] } | null> = { 4: null, 6: null };
  readonly #recent: Record<4 | 6, Network<T>[]> = { 4: [], 6: [] };

  constructor(entries: Iterable<readonly [Cidr, T]> = []) {
    for (const [cidr, value] of entries) this.set(cidr, value);
  }

  /** How many networks there are. */
  get size(): number {
    return this.#networks[4].size + this.#networks[6].size;
  }

  /** Adds a network; the last value for the same network stays. Host bits are ignored. */
  set(cidr: Cidr, value: T): void {
    const { family, value: first } = toNetwork(cidr).address;
    const key = `${first}/${cidr.prefix}`;
    const known = this.#networks[family].get(key);
    if (known) {
      known.value = value;
      return;
    }
    const last = first + (1n << BigInt(addressBits(family) - cidr.prefix)) - 1n;
    const network = { first, last, prefix: cidr.prefix, value };
    this.#networks[family].set(key, network);
    if (this.#ordered[family] && this.#recent[family].push(network) > MAX_RECENT) this.#ordered[family] = null;
  }

  #order(family: 4 | 6): { stretches: Stretches; networks: Network<T>[] } {
    const networks = [...this.#networks[family].values()].sort((a, b) =>
      a.first === b.first ? a.prefix - b.prefix : a.first < b.first ? -1 : 1,
    );
    const ordered = { stretches: new Stretches(family, networks), networks };
    this.#ordered[family] = ordered;
    this.#recent[family] = [];
    return ordered;
  }

  /** The value of the longest network that holds the address. */
  match({ family, value }: IpAddress): T | undefined {
    // Storing a big number cuts it to 64 bits and shows its words: several times faster than shifting and converting.
    scratch[0] = value;
    if (family === 4) return this.matchWords(4, word(LOW), 0, 0, 0);
    scratch[1] = value >> 64n;
    return this.matchWords(6, word(2 + HIGH), word(2 + LOW), word(HIGH), word(LOW));
  }

  /** As `match`, for an address given as 32-bit words, the most significant first; IPv4 only has the first. */
  matchWords(family: 4 | 6, a: number, b: number, c: number, d: number): T | undefined {
    const { stretches, networks } = this.#ordered[family] ?? this.#order(family);
    const index = stretches.find(a, b, c, d);
    let best = index < 0 ? undefined : networks[index];
    const recent = this.#recent[family];
    if (recent.length > 0) {
      const words = family === 4 ? [a] : [a, b, c, d];
      const value = words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
      for (const network of recent)
        if (network.first <= value && value <= network.last && network.prefix > (best?.prefix ?? -1)) best = network;
    }
    return best?.value;
  }
}
