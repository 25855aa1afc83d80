import { countForwarding } from '../forwarding/queries/forwarding-streams';
import { jobsOverview } from '../jobs/overview';
import { isTooFarAhead } from '../jobs/schedules';
import { sharedValue } from '../lib/cache';
import { clock } from '../lib/clock';
import { logger } from '../lib/logger';
import { setGauge } from '../lib/metrics';
import { countExporters } from '../traffic/queries/flow-exporters';
import { countUndelivered, countUnmoved } from '../traffic/storage/flow-storage';
import { countStates } from './queries/database';

/** Who asks more often gets the values of before. */
const FRESH_MS = 5_000;
/** A store that does not answer must not keep the monitoring from everything else. */
const TIMEOUT_MS = 3_000;
const LATE_MS = 60_000;

async function readFleet(): Promise<void> {
  await readFlowStorage();
  const states = await countStates();
  const of = (kind: 'clusters' | 'agents') => states.filter((one) => one.kind === kind);
  setGauge(
    'clusters',
    of('clusters').map(({ state, count }) => ({ labels: { sync_status: state }, value: count })),
  );
  setGauge(
    'agents',
    of('agents').map(({ state, count }) => ({ labels: { status: state }, value: count })),
  );
  const streams = await countForwarding();
  setGauge(
    'forwarding',
    streams.flatMap(({ stream, working, failing }) =>
      Object.entries({ working, failing }).map(([state, value]) => ({ labels: { stream, state }, value })),
    ),
  );
  setGauge(
    'forwarding_waiting',
    streams.map(({ stream, waiting }) => ({ labels: { stream }, value: waiting })),
  );
  const exporters = await countExporters(clock.now().toISOString());
  setGauge(
    'flow_exporters',
    exporters.states.map(({ state, exporters: value }) => ({ labels: { state }, value })),
  );
  setGauge(
    'exporter_counts',
    Object.entries(exporters.counted).map(([what, value]) => ({ labels: { what }, value })),
  );
}

/** Nothing where flows are stored in PostgreSQL, and none move. */
async function readFlowStorage(): Promise<void> {
  const [waiting, unmoved] = await Promise.all([countUndelivered(), countUnmoved()]);
  setGauge('flow_move', unmoved === null ? [] : [{ value: unmoved }]);
  setGauge('flow_outbox', waiting ? [{ value: waiting.rows }] : []);
  setGauge('flow_refused', waiting ? [{ value: waiting.refused }] : []);
  setGauge('flow_outbox_age', waiting ? [{ value: waiting.oldest_seconds ?? 0 }] : []);
}

async function readQueues(): Promise<void> {
  const { queues } = await jobsOverview(1);
  const states = ['waiting', 'active', 'delayed', 'failed'] as const;
  setGauge(
    'queue_jobs',
    queues.flatMap((queue) => states.map((state) => ({ labels: { queue: queue.name, state }, value: queue[state] }))),
  );
  setGauge('workers', [{ value: Math.max(0, ...queues.map(({ workers }) => workers ?? 0)) }]);
  const now = clock.now().getTime();
  const overdue = queues.filter(({ next_run_at, every_seconds }) => {
    const next = next_run_at === null ? now : Date.parse(next_run_at);
    return next < now - LATE_MS || isTooFarAhead(next, 1000 * (every_seconds ?? 0), now);
  });
  setGauge('overdue', [{ value: overdue.length }]);
}

const PARTS = { fleet: readFleet, queues: readQueues };

/** @returns 1 when the part was read in time, else 0 */
async function readPart(part: keyof typeof PARTS): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    await Promise.race([PARTS[part](), timeout]);
    return 1;
  } catch (error) {
    logger.warn({ err: error, part }, 'cannot read gauges');
    return 0;
  } finally {
    clearTimeout(timer);
  }
}

const gauges = sharedValue<{ readAt: number }>('gauges', async () => {
  const [fleet, queues] = await Promise.all([readPart('fleet'), readPart('queues')]);
  setGauge('known', [
    { labels: { part: 'fleet' }, value: fleet },
    { labels: { part: 'queues' }, value: queues },
  ]);
  return { readAt: clock.now().getTime() };
});

/** Rereads the metric gauges unless they are fresh. A part that cannot be read keeps its values and is reported. */
export async function refreshGauges(): Promise<void> {
  await gauges.read(({ readAt }) => Math.abs(clock.now().getTime() - readAt) < FRESH_MS);
}
