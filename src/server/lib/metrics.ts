import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { lazy } from './lazy';

const made = lazy(() => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'fabric_request_duration_seconds',
    help: 'Time to answer a request, by surface (rest, trpc), method, path pattern and status.',
    labelNames: ['surface', 'method', 'path', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const jobs = new Histogram({
    name: 'fabric_job_duration_seconds',
    help: 'Time a job ran, by name and result (ok, failed, requeued).',
    labelNames: ['job', 'result'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60, 300],
    registers: [registry],
  });
  const syncObjects = new Counter({
    name: 'fabric_sync_objects_total',
    help: 'Objects handled by syncs, by kind of run, stage and outcome (seen, created, changed, removed, skipped, errors).',
    labelNames: ['kind', 'stage', 'outcome'],
    registers: [registry],
  });
  const signIns = new Counter({
    name: 'fabric_sign_ins_total',
    help: 'Sign-ins by result (ok, failed).',
    labelNames: ['result'],
    registers: [registry],
  });
  return { registry, requests, jobs, syncObjects, signIns };
});

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

/** Records one run of a job. */
export function observeJob(r: { name: string; result: 'ok' | 'failed' | 'requeued'; seconds: number }): void {
  made.jobs.observe({ job: r.name, result: r.result }, r.seconds);
}

/** Adds what one stage of a sync did; `counters` are the stage's own (`sync_runs.counters`). */
export function countSyncStage(kind: string, stage: string, counters: Readonly<Record<string, number>>): void {
  for (const [outcome, count] of Object.entries(counters)) {
    if (count > 0) made.syncObjects.inc({ kind, stage, outcome }, count);
  }
}

/** Counts a sign-in; the audit trail holds only some of the failed ones, this number holds all. */
export function countSignIn(result: 'ok' | 'failed'): void {
  made.signIns.inc({ result });
}

/** Everything measured in this process, in the Prometheus text format. */
export async function metricsText(): Promise<string> {
  return made.registry.metrics();
}
