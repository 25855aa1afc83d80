import { setTimeout as delay } from 'node:timers/promises';
import type { SyncRun } from '@/domain/sync';
import type { Scope } from '../auth/scope';
import { readSyncRun } from './read-sync-run';

export const MAX_WAIT_MS = 120_000;
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;

/**
 * The run when it has ended, or as it is when the time is over or `signal` aborts.
 * @throws AppError `not_found` when the run goes with its cluster meanwhile
 */
export async function awaitSyncRun(
  scope: Scope<'cluster:sync'>,
  id: string,
  { signal, timeoutMs = MAX_WAIT_MS }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<SyncRun> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
    const run = await readSyncRun(scope, id);
    const left = deadline - performance.now();
    if (run.finished_at !== null || left <= 0 || signal?.aborted) return run;
    await delay(Math.min(pause, left), undefined, { signal }).catch(() => undefined);
  }
}
