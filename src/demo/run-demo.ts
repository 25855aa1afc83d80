import { setTimeout as delay } from 'node:timers/promises';
import { HOUR_MS } from '@/domain/durations';
import { systemScope } from '@/server/auth/scope';
import { awaitSyncRun } from '@/server/inventory/reads';
import { logger } from '@/server/lib/logger';
import { DemoAgents } from './agents/demo-agents';
import { trafficFile } from './agents/kept-traffic';
import type { Post } from './agents/post';
import { HISTORY_SLOTS } from './agents/rounds';
import { ensureAdministrator } from './installation/accounts';
import { ensureClusters } from './installation/clusters';
import { runSteps } from './installation/kept-steps';
import { listSetupSteps } from './installation/steps';
import { startDemoSimulator } from './simulator/demo-simulator';
import { simulatedView } from './simulator/simulated-view';
import { SLOT_MS } from './traffic/sessions';

type Options = {
  /** Where the demo keeps its files. */
  directory: string;
  password: string;
  baseUrl: string;
  post: Post;
  /** Resolves when the service answers. */
  untilServing: (signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
  /** Traffic before the first start. */
  historyHours: number;
  /** Called once the administrator and the clusters are there. */
  onReady: () => void;
};

const RETRY_MS = 5_000;

async function waitForSync(run_ids: readonly string[], signal: AbortSignal): Promise<void> {
  for (const id of run_ids) {
    const run = await awaitSyncRun(systemScope('cluster:sync', 'demo data'), id, { signal });
    if (run.status === 'failed') throw new Error(`the sync of a demo cluster failed: ${run.errors[0]?.message ?? ''}`);
  }
}

/**
 * Runs the demo until the signal: simulated clusters, what is set up over them through the services, and agents that
 * report. After a restart it continues where it was.
 */
export async function runDemo({
  directory,
  password,
  baseUrl,
  post,
  untilServing,
  signal,
  historyHours,
  onReady,
}: Options): Promise<void> {
  await ensureAdministrator(password);
  const { simulator, close } = await startDemoSimulator(directory);
  try {
    let clusters = await ensureClusters(simulator);
    onReady();
    await untilServing(signal);
    while (!signal.aborted) {
      try {
        await waitForSync(clusters.run_ids, signal);
        break;
      } catch (error) {
        if (signal.aborted) break;
        logger.warn({ err: error }, 'a demo cluster was not synced; trying again');
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
        clusters = await ensureClusters(simulator);
      }
    }
    await runSteps(directory, listSetupSteps(simulator, password), signal).catch((error: unknown) => {
      if (!signal.aborted) logger.warn({ err: error }, 'a part of the demo is missing; the next start tries again');
    });
    const agents = new DemoAgents({
      view: simulatedView(simulator),
      file: trafficFile(directory),
      post,
      baseUrl,
      history: Math.min((historyHours * HOUR_MS) / SLOT_MS, HISTORY_SLOTS),
    });
    await agents.run(signal);
  } finally {
    await close();
  }
}
