/** A set of small numbers, 32 to a word. Sets that are combined have the same number of words. */
export type Bits = Uint32Array;

export const emptyBits = (size: number): Bits => new Uint32Array(Math.ceil(size / 32));

export function addBit(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

export const hasBit = (bits: Bits, at: number): boolean => (((bits[at >>> 5] as number) >>> (at & 31)) & 1) === 1;

export function areDisjoint(a: Bits, b: Bits): boolean {
  for (let word = 0; word < a.length; word++) if (((a[word] as number) & (b[word] as number)) !== 0) return false;
  return true;
}

/** Whether everything in `a` is in `b`. */
export function isSubset(a: Bits, b: Bits): boolean {
  for (let word = 0; word < a.length; word++) if (((a[word] as number) & ~(b[word] as number)) !== 0) return false;
  return true;
}

export function intersectBits(a: Bits, b: Bits): Bits {
  const found = new Uint32Array(a.length);
  for (let word = 0; word < a.length; word++) found[word] = (a[word] as number) & (b[word] as number);
  return found;
}

export function subtractBits(a: Bits, b: Bits): Bits {
  const found = new Uint32Array(a.length);
  for (let word = 0; word < a.length; word++) found[word] = (a[word] as number) & ~(b[word] as number);
  return found;
}

export function uniteBits(a: Bits, b: Bits): Bits {
  const found = new Uint32Array(a.length);
  for (let word = 0; word < a.length; word++) found[word] = (a[word] as number) | (b[word] as number);
  return found;
}

/** Adds everything in `b` to `a`. */
export function addBits(a: Bits, b: Bits): void {
  for (let word = 0; word < a.length; word++) a[word] = (a[word] as number) | (b[word] as number);
}

export function equalBits(a: Bits, b: Bits): boolean {
  for (let word = 0; word < a.length; word++) if (a[word] !== b[word]) return false;
  return true;
}

/** The smallest number in the set; -1 when it is empty. */
export function firstBit(bits: Bits): number {
  for (let word = 0; word < bits.length; word++) {
    const value = bits[word] as number;
    if (value !== 0) return word * 32 + 31 - Math.clz32(value & -value);
  }
  return -1;
}

/** Visits the numbers in the set, ascending. */
export function eachBit(bits: Bits, visitor: (at: number) => void): void {
  for (let word = 0; word < bits.length; word++) {
    for (let left = bits[word] as number; left !== 0; left &= left - 1) {
      visitor(word * 32 + 31 - Math.clz32(left & -left));
    }
  }
}

/** The number in a set of one; -1 when it has none or several. */
export function onlyBit(bits: Bits): number {
  let found = -1;
  for (let word = 0; word < bits.length; word++) {
    const value = bits[word] as number;
    if (value === 0) continue;
    if (found >= 0 || (value & (value - 1)) !== 0) return -1;
    found = word * 32 + 31 - Math.clz32(value);
  }
  return found;
}

/** What a number adds to the hash of a set, by XOR: adding it twice removes it. Different sets may have the same hash. */
export const hashBit = (at: number): number => Math.imul(at + 1, 0x9e3779b1) ^ (Math.imul(at + 7, 0x85ebca77) >>> 13);
