import { keepReporting } from '@/server/enforcement/own-connections/report-process';
import { assertServiceEnv, EMBEDDED_ARGUMENT, env } from '@/server/lib/env';
import { logger } from '@/server/lib/logger';
import { type Collector, startCollector } from '@/server/traffic/collector/run-collector';
import { limitHeapGrowth, refuseStart, reportReady } from './child-process';
import { prepareStores } from './prepare-stores';

function readEnvironment() {
  try {
    const environment = env();
    assertServiceEnv(environment, process.argv.includes(EMBEDDED_ARGUMENT));
    const { DATABASE_URL, REDIS_URL, FABRIC_COLLECTOR_LISTEN: listens } = environment;
    if (!listens) throw new Error('Set FABRIC_COLLECTOR_LISTEN to an address with a port, for example 0.0.0.0:2055.');
    return { DATABASE_URL, REDIS_URL, listens };
  } catch (error) {
    return refuseStart(error);
  }
}

async function openCollector(listens: { host: string; port: number }): Promise<Collector> {
  try {
    return await startCollector(listens);
  } catch (error) {
    return refuseStart(error);
  }
}

limitHeapGrowth();
const { DATABASE_URL, REDIS_URL, listens } = readEnvironment();
await prepareStores({ DATABASE_URL, REDIS_URL }).catch(refuseStart);
const collector = await openCollector(listens);
logger.info(collector.address, 'collector ready');
reportReady();
// It connects to the same stores as a worker, from its own machine.
keepReporting('worker');

let ending = false;
const end = async () => {
  if (ending) return;
  ending = true;
  logger.info('collector stopping');
  await collector.close();
  process.exit(0);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
