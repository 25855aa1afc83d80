import { setTimeout as delay } from 'node:timers/promises';

/** How long a request that waits for a run is held open at most, by default. */
const MAX_WAIT_MS = 120_000;
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;

export type Waiting = { signal?: AbortSignal; timeoutMs?: number };

/**
 * Reads something until it is done, the time is over, or `signal` aborts: at first often, later twice a second.
 * @returns what was read last, done or not
 */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isDone: (reading: T) => boolean,
  { signal, timeoutMs = MAX_WAIT_MS }: Waiting = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
    const reading = await read();
    const left = deadline - performance.now();
    if (isDone(reading) || left <= 0 || signal?.aborted) return reading;
    await delay(Math.min(pause, left), undefined, { signal }).catch(() => undefined);
  }
}
