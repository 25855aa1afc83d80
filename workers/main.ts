import { limitHeapGrowth, refuseStart, reportReady } from '@/runtime/child-process';
import { prepareStores } from '@/runtime/prepare-stores';
import { keepReporting } from '@/server/enforcement/own-connections/report-process';
import { recordMigratedVersions } from '@/server/enforcement/policies/history';
import { closeQueues } from '@/server/jobs/queues';
import { assertServiceEnv, EMBEDDED_ARGUMENT, env } from '@/server/lib/env';
import { logger } from '@/server/lib/logger';
import { serveHealth } from './health-server';
import { processors } from './processors';
import { startWorkers } from './runtime';

function serviceEnvironment() {
  try {
    const environment = env();
    assertServiceEnv(environment, process.argv.includes(EMBEDDED_ARGUMENT));
    return environment;
  } catch (error) {
    return refuseStart(error);
  }
}

limitHeapGrowth();
const { DATABASE_URL, REDIS_URL, FABRIC_WORKER_PORT, HOST } = serviceEnvironment();
await prepareStores({ DATABASE_URL, REDIS_URL }).catch(refuseStart);
await recordMigratedVersions();

const runtime = await startWorkers(processors);
const health = FABRIC_WORKER_PORT ? await serveHealth(FABRIC_WORKER_PORT, HOST).catch(refuseStart) : undefined;
logger.info({ jobs: Object.keys(processors) }, 'worker ready');
reportReady();
keepReporting('worker');

let ending = false;
const end = async () => {
  if (ending) return;
  ending = true;
  logger.info('worker stopping');
  health?.close();
  await runtime.close();
  await closeQueues();
  process.exit(0);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
