import { prepareStores } from '@/runtime/prepare';
import { reportReady } from '@/runtime/report-ready';
import { closeQueues } from '@/server/jobs/queues';
import { assertDemoAllowed, env } from '@/server/lib/env';
import { logger } from '@/server/lib/logger';
import { serveHealth } from './health-server';
import { registry } from './registry';
import { startWorkers } from './runtime';

const { DATABASE_URL, REDIS_URL, FABRIC_WORKER_PORT, HOST } = env();
if (!DATABASE_URL)
  throw new Error('Wrong environment: DATABASE_URL is missing. Use `npm start` for the embedded database.');
assertDemoAllowed(env());
await prepareStores({ DATABASE_URL, REDIS_URL });

const runtime = await startWorkers(registry);
const health = FABRIC_WORKER_PORT ? await serveHealth(FABRIC_WORKER_PORT, HOST) : undefined;
logger.info({ jobs: Object.keys(registry) }, 'worker ready');
reportReady();

let ending = false;
const end = async () => {
  if (ending) return;
  ending = true;
  logger.info('worker stops');
  health?.close();
  await runtime.close();
  await closeQueues();
  process.exit(0);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
