/** Deterministic pseudo random numbers in [0, 1) (mulberry32): the same seed gives the same simulated world. */
export type Random = {
  (): number;
  /** Integer in [min, max]. */
  int(min: number, max: number): number;
  /** One element; the list must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Hexadecimal digits, lower case. */
  hex(digits: number): string;
  /** RFC 4122 shaped identifier. */
  uuid(): string;
  /** A copy in another order. */
  shuffle<T>(list: readonly T[]): T[];
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (() => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }) as Random;
  next.int = (min, max) => min + Math.floor(next() * (max - min + 1));
  next.pick = (list) => list[Math.floor(next() * list.length)] as (typeof list)[number];
  next.hex = (digits) => Array.from({ length: digits }, () => next.int(0, 15).toString(16)).join('');
  next.uuid = () => `${next.hex(8)}-${next.hex(4)}-4${next.hex(3)}-a${next.hex(3)}-${next.hex(12)}`;
  next.shuffle = (list) => {
    const copy = [...list];
    for (let index = copy.length - 1; index > 0; index--) {
      const other = next.int(0, index);
      const kept = copy[index] as (typeof copy)[number];
      copy[index] = copy[other] as (typeof copy)[number];
      copy[other] = kept;
    }
    return copy;
  };
  return next;
}
