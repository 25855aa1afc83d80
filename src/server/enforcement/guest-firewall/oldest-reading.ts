type Timed = { readonly read_at: string };

/**
 * The time of the oldest reading that an answer is made from: no part of the answer is older. Null when one of them was never
 * read.
 */
export function oldestReadAt(first: Timed, ...others: readonly Timed[]): string;
export function oldestReadAt(...readings: readonly (Timed | null | undefined)[]): string | null;
export function oldestReadAt(...readings: readonly (Timed | null | undefined)[]): string | null {
  const times = readings.map((reading) => reading?.read_at);
  if (times.includes(undefined)) return null;
  return times.sort((a = '', b = '') => Date.parse(a) - Date.parse(b))[0] ?? null;
}
