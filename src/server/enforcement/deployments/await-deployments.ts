import { setTimeout as delay } from 'node:timers/promises';
import { db } from '../../db/client';
import { listDeploymentsByIds } from '../queries/deployments';

const MAX_WAIT_MS = 120_000;
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;

/** Waits until all of these deployments have ended, the time is over, or `signal` aborts. */
export async function awaitDeployments(
  ids: readonly string[],
  { signal, timeoutMs = MAX_WAIT_MS }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
    const deployments = await listDeploymentsByIds(db, ids);
    const left = deadline - performance.now();
    if (deployments.every(({ finished_at }) => finished_at !== null) || left <= 0 || signal?.aborted) return;
    await delay(Math.min(pause, left), undefined, { signal }).catch(() => undefined);
  }
}
