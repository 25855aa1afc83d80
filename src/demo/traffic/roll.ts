/**
 * A number in [0, 1) that follows from the numbers given and from nothing else: no state, so any moment of the demo's
 * traffic can be computed by itself.
 */
export function roll(...numbers: readonly number[]): number {
  let mixed = 0x9e3779b9;
  for (const number of numbers) {
    mixed = Math.imul(mixed ^ (number | 0), 0x85ebca6b);
    mixed ^= mixed >>> 13;
    mixed = Math.imul(mixed, 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return (mixed >>> 0) / 2 ** 32;
}

/** A whole number in [min, max]. */
export const rollInt = (min: number, max: number, ...numbers: readonly number[]): number =>
  min + Math.floor(roll(...numbers) * (max - min + 1));

/** One element; the list must not be empty. */
export function rollPick<T>(list: readonly T[], ...numbers: readonly number[]): T {
  return list[Math.floor(roll(...numbers) * list.length)] as T;
}
