import { hrtime } from 'node:process';

/** Wall time in milliseconds since 1970; a parameter everywhere, so that tests hold the clock. */
export type Clock = () => number;

/** Milliseconds of a clock that is never set: for waits and ages within this process. */
export const monotonic: Clock = () => performance.now();

/**
 * Milliseconds to add to a CLOCK_MONOTONIC time to get wall time. Kernel maps and /dev/kmsg stamp with the monotonic
 * clock. Recomputed at each use, since wall time steps and drifts.
 */
export function monotonicOffset(): number {
  return Date.now() - Number(hrtime.bigint()) / 1e6;
}

/** RFC 3339 UTC text of a wall time in milliseconds. */
export function rfc3339(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
