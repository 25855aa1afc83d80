import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { CHANNEL_KINDS, FORWARDING_KINDS, FORWARDING_STREAMS } from '@/domain/choices';
import { cacheStats } from './cache';
import { lazy } from './process-state';

/** Removes all values. prom-client gives a gauge without labels the value 0, which would be one that was never read. */
function clearGauge(gauge: Gauge): Gauge {
  gauge.reset();
  gauge.remove({});
  return gauge;
}

const SIGN_IN_RESULTS = ['ok', 'failed'] as const;
const FLOW_OUTCOMES = ['accepted', 'updated', 'unconfirmed', 'rejected'] as const;
const DELIVERY_RESULTS = ['sent', 'retried', 'failed'] as const;
const FORWARDING_RESULTS = ['sent', 'lost', 'shortened', 'failed'] as const;

const made = lazy(() => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'fabric_request_duration_seconds',
    help: 'Request duration by surface (rest, trpc), method, path pattern and status.',
    labelNames: ['surface', 'method', 'path', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const jobs = new Histogram({
    name: 'fabric_job_duration_seconds',
    help: 'Job duration by name and result (ok, failed, requeued).',
    // Not `job`: so the monitoring names what it asks.
    labelNames: ['name', 'result'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60, 300],
    registers: [registry],
  });
  const syncObjects = new Counter({
    name: 'fabric_sync_objects_total',
    help: 'Objects processed by syncs, by kind of run, stage and outcome (seen, created, changed, removed, skipped, errors).',
    labelNames: ['kind', 'stage', 'outcome'],
    registers: [registry],
  });
  const signIns = new Counter({
    name: 'fabric_sign_ins_total',
    help: 'Sign-ins by result (ok, failed).',
    labelNames: ['result'],
    registers: [registry],
  });
  const flows = new Counter({
    name: 'fabric_flows_total',
    help: 'Flows reported by agents, by outcome (accepted: new, updated, rejected). Repeated heartbeats are not counted.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const deliveries = new Counter({
    name: 'fabric_notification_deliveries_total',
    help: 'Attempts to deliver a notification, by kind of channel (webhook, email) and result (sent, retried, failed).',
    labelNames: ['kind', 'result'],
    registers: [registry],
  });
  const forwarded = new Counter({
    name: 'fabric_forwarded_records_total',
    help: 'Records for external receivers, by kind of destination, stream (audit, conversations) and result (sent, lost, shortened), and failed attempts.',
    labelNames: ['kind', 'stream', 'result'],
    registers: [registry],
  });
  // Prometheus sees no increase in a series that begins with its first event, so alerts would miss that event.
  for (const result of SIGN_IN_RESULTS) signIns.inc({ result }, 0);
  for (const outcome of FLOW_OUTCOMES) flows.inc({ outcome }, 0);
  for (const kind of CHANNEL_KINDS) for (const result of DELIVERY_RESULTS) deliveries.inc({ kind, result }, 0);
  for (const kind of FORWARDING_KINDS) {
    for (const stream of FORWARDING_STREAMS) {
      for (const result of FORWARDING_RESULTS) forwarded.inc({ kind, stream, result }, 0);
    }
  }
  const refusedWork = new Counter({
    name: 'fabric_heavy_refused_total',
    help: 'Heavy requests that were refused, by lane (compute, evaluate, export) and reason (queue_full, waited_too_long).',
    labelNames: ['lane', 'reason'],
    registers: [registry],
  });
  const flowStorage = new Histogram({
    name: 'fabric_flow_storage_request_duration_seconds',
    help: 'Requests to ClickHouse by operation (read, stream, insert, run) and result (ok, failed).',
    labelNames: ['operation', 'result'],
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  });
  // Read on request: a cache only counts.
  const ofCaches = (field: 'entries' | 'bytes' | 'hits' | 'misses') =>
    function (this: { reset(): void; inc(labels: { cache: string }, value: number): void }) {
      this.reset();
      for (const { name, ...stats } of cacheStats()) {
        const value = stats[field];
        if (value !== null) this.inc({ cache: name }, value);
      }
    };
  const labelNames = ['cache'];
  new Gauge({
    name: 'fabric_cache_entries',
    help: 'Entries in a cache of this process.',
    labelNames,
    registers: [registry],
    collect: ofCaches('entries'),
  });
  new Gauge({
    name: 'fabric_cache_bytes',
    help: 'Estimated size of the content of a cache, for caches limited by size.',
    labelNames,
    registers: [registry],
    collect: ofCaches('bytes'),
  });
  new Counter({
    name: 'fabric_cache_hits_total',
    help: 'Cache hits.',
    labelNames,
    registers: [registry],
    collect: ofCaches('hits'),
  });
  new Counter({
    name: 'fabric_cache_misses_total',
    help: 'Cache misses.',
    labelNames,
    registers: [registry],
    collect: ofCaches('misses'),
  });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    clearGauge(new Gauge({ name, help, labelNames, registers: [registry] }));
  const gauges = {
    clusters: gauge('fabric_clusters', 'Clusters by the status of their last sync.', ['sync_status']),
    agents: gauge('fabric_agents', 'Node agents by status.', ['status']),
    queue_jobs: gauge('fabric_queue_jobs', 'Jobs in a queue by state (waiting, active, delayed, failed).', [
      'queue',
      'state',
    ]),
    workers: gauge('fabric_workers', 'Worker processes connected to the queues.'),
    heavy: gauge(
      'fabric_heavy_requests',
      'Heavy requests by lane (compute, evaluate, export) and state (running, waiting).',
      ['lane', 'state'],
    ),
    forwarding: gauge(
      'fabric_forwarding_streams',
      'Streams of enabled destinations by stream and state (working, failing).',
      ['stream', 'state'],
    ),
    forwarding_waiting: gauge('fabric_forwarding_waiting_records', 'Records that wait for their receivers.', [
      'stream',
    ]),
    flow_exporters: gauge('fabric_flow_exporters', 'Exporters of flow records by state.', ['state']),
    exporter_counts: gauge(
      'fabric_flow_exporter_counts',
      'What all exporters have sent since they were created: datagrams, records, and what of them was stored or not.',
      ['what'],
    ),
    flow_outbox: gauge('fabric_flow_outbox_rows', 'Rows of flows in PostgreSQL that have not arrived in ClickHouse.'),
    flow_outbox_age: gauge(
      'fabric_flow_outbox_oldest_seconds',
      'How long the oldest of these rows has waited; 0 when none waits.',
    ),
    flow_move: gauge('fabric_flow_move_rows', 'Rows of stored flows that have not moved to another store.'),
    flow_refused: gauge('fabric_flow_refused_reports', 'Reports of flows that ClickHouse refused, kept in PostgreSQL.'),
    overdue: gauge(
      'fabric_schedules_overdue',
      'Schedules whose next run is more than a minute late, or further ahead than their interval.',
    ),
    known: gauge('fabric_gauges_known', 'Whether the gauges of a part (fleet, queues) could be read: 1 or 0.', [
      'part',
    ]),
  };
  return {
    registry,
    requests,
    jobs,
    syncObjects,
    signIns,
    flows,
    flowStorage,
    deliveries,
    forwarded,
    refusedWork,
    gauges,
  };
});

/** The status in the metrics of a call whose caller went away before it was answered: no failure of the service. */
const LEFT = 499;

/** The status of a call as the metrics count it. @param signal aborted when the caller went away */
export const toCountedStatus = (status: number, signal: AbortSignal | undefined): number =>
  status >= 500 && signal?.aborted ? LEFT : status;

/** Records one answered request. `path` is the pattern, never the concrete address, to keep the series few. */
export function observeRequest(r: {
  surface: 'rest' | 'trpc';
  method: string;
  path: string;
  status: number;
  seconds: number;
}): void {
  made.requests.observe({ surface: r.surface, method: r.method, path: r.path, status: String(r.status) }, r.seconds);
}

/** Starts the series of jobs that this process runs at 0, so that alerts see their first failure. */
export function createJobSeries(names: readonly string[]): void {
  for (const name of names) for (const result of ['ok', 'failed']) made.jobs.zero({ name, result });
}

/** Records one run of a job. */
export function observeJob(r: { name: string; result: 'ok' | 'failed' | 'requeued'; seconds: number }): void {
  made.jobs.observe({ name: r.name, result: r.result }, r.seconds);
}

/** Adds what one stage of a sync did; `counters` are the stage's own (`sync_runs.counters`). */
export function countSyncStage(kind: string, stage: string, counters: Readonly<Record<string, number>>): void {
  for (const [outcome, count] of Object.entries(counters)) {
    if (count > 0) made.syncObjects.inc({ kind, stage, outcome }, count);
  }
}

/** Counts a sign-in; the audit trail holds only some of the failed ones, this number holds all. */
export function countSignIn(result: (typeof SIGN_IN_RESULTS)[number]): void {
  made.signIns.inc({ result });
}

/** Counts the flows of one heartbeat. */
export function countFlows(outcomes: Record<(typeof FLOW_OUTCOMES)[number], number>): void {
  for (const [outcome, count] of Object.entries(outcomes)) made.flows.inc({ outcome }, count);
}

/** Records one request to the ClickHouse that stores flows. */
export function countFlowStorageRequest(operation: string, result: 'ok' | 'failed', seconds: number): void {
  made.flowStorage.observe({ operation, result }, seconds);
}

/** Counts an attempt to deliver a notification: `retried` will be retried, `failed` will not. */
export function countDelivery(kind: string, result: (typeof DELIVERY_RESULTS)[number]): void {
  made.deliveries.inc({ kind, result });
}

/** Counts records that were sent, lost or shortened, or an attempt to send some that failed. */
export function countForwarded(
  kind: string,
  stream: string,
  result: (typeof FORWARDING_RESULTS)[number],
  count: number,
): void {
  if (count > 0) made.forwarded.inc({ kind, stream, result }, count);
}

/** Notes how many heavy requests of a lane run and wait. */
export function setHeavyWork(lane: string, { running, waiting }: { running: number; waiting: number }): void {
  made.gauges.heavy.set({ lane, state: 'running' }, running);
  made.gauges.heavy.set({ lane, state: 'waiting' }, waiting);
}

/** Counts a heavy request that was refused. */
export function countRefusedWork(lane: string, reason: string): void {
  made.refusedWork.inc({ lane, reason });
}

/** One value of a gauge; without labels for a gauge that has none. */
export type GaugeValue = { labels?: Readonly<Record<string, string>>; value: number };
export type GaugeName = keyof typeof made.gauges;

/** Puts the present values in the place of the earlier ones: what is not named any more is gone. */
export function setGauge(name: GaugeName, values: readonly GaugeValue[]): void {
  const gauge = made.gauges[name];
  clearGauge(gauge);
  for (const { labels = {}, value } of values) gauge.set(labels, value);
}

/** All metrics of this program by name, with their labels; those of the Node process included. */
export function metricLabels(): Map<string, readonly string[]> {
  return new Map(
    made.registry.getMetricsAsArray().map((metric) => {
      const labels: unknown = Reflect.get(metric, 'labelNames');
      return [metric.name, Array.isArray(labels) ? labels : []];
    }),
  );
}

type Measured = MetricObjectWithValues<MetricValue<string>>;
/** On `globalThis`, because the entry of the web process and its route handlers are bundled apart. */
const OTHERS = Symbol.for('fabric.other-metrics');

/** What this thread measured of the program's own metrics; those of Node are of the whole process. */
export async function ownMetrics(): Promise<Measured[]> {
  // Only these are read: reading the event loop delays resets them.
  const own = [...metricLabels().keys()].filter((name) => name.startsWith('fabric_'));
  const read = own.map(async (name): Promise<Measured[]> => {
    const metric = made.registry.getSingleMetric(name);
    return metric ? [await metric.get()] : [];
  });
  return (await Promise.all(read)).flat();
}

/** Adds metrics measured by another thread to `metricsText`; its last ones when that thread does not answer. */
export function setOtherMetrics(read: () => Promise<Measured[]>): void {
  let last: Measured[] | null = null;
  Reflect.set(globalThis, OTHERS, async () => {
    last = await read().catch(() => last);
    return last;
  });
}

/** Everything measured in this process, in the Prometheus text format. */
export async function metricsText(): Promise<string> {
  const readOthers: (() => Promise<Measured[] | null>) | undefined = Reflect.get(globalThis, OTHERS);
  const others = await readOthers?.();
  if (!others) return made.registry.metrics();
  const ours = AggregatorRegistry.aggregate([await ownMetrics(), others]);
  const text = await made.registry.metrics();
  const ofNode = text.split(/^(?=# HELP )/m).filter((one) => !one.startsWith('# HELP fabric_'));
  return [await ours.metrics(), ...ofNode].join('\n');
}
