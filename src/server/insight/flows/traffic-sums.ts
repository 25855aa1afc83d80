import { cache } from '../../lib/cache';

/**
 * Readings of the sums of traffic that many viewers share: one for each state of the sums, however many ask for it at the
 * same time. Each is at most some thousand rows. Sealed with the version of the sums, read before: what is read then is of
 * this state or a later one, and a reader who looked earlier gets the newer one.
 */
export const trafficSums = <T>(name: string) =>
  cache<Promise<T>, number>({ name, maxEntries: 24, isFresh: (kept, asked) => kept >= asked });
