import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { httpPost } from '@/demo/agents/post';
import { DEMO_EMAIL } from '@/demo/installation/accounts';
import { runDemo } from '@/demo/run-demo';
import { closeQueues } from '@/server/jobs/queues';
import { env } from '@/server/lib/env';
import { reportReady } from './child-process';
import { createLegibleCode, ensureSecret } from './secrets';

// The demo as a process of its own: simulated clusters and their agents. Only the supervisor starts it, in the embedded
// mode and over an installation that is marked as a demo.
const { PORT, HOST, FABRIC_DATA_DIR, DEMO_HISTORY_HOURS } = env();
const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '::1' : HOST;
const baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
const password = ensureSecret(FABRIC_DATA_DIR, 'demo_password', createLegibleCode);

const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());

async function waitUntilServing(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const response = await fetch(`${baseUrl}/api/v1/health/ready`, { signal }).catch(() => null);
    if (response?.ok) return;
    await delay(250, undefined, { signal }).catch(() => undefined);
  }
}

try {
  await runDemo({
    directory: join(FABRIC_DATA_DIR, 'demo'),
    password,
    baseUrl,
    post: httpPost(baseUrl),
    untilServing: waitUntilServing,
    signal: ending.signal,
    historyHours: DEMO_HISTORY_HOURS,
    onReady: () =>
      reportReady({
        notes: [
          'DEMO: clusters, traffic and incidents are simulated',
          `sign in as ${DEMO_EMAIL} with the password ${password} (unless you changed it)`,
        ],
      }),
  });
  await closeQueues();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}
