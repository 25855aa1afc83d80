import { queueBackend } from './backend';
import { JOBS, type JobName } from './definitions';
import { getQueue } from './queues';

export type QueueOverview = {
  name: JobName;
  waiting: number;
  active: number;
  /** Waits for its next try or its time. */
  delayed: number;
  completed: number;
  failed: number;
  /** Worker processes connected to this queue; null when the store does not tell. */
  workers: number | null;
  every_seconds: number | null;
  next_run_at: string | null;
};

export type JobFailure = {
  id: string;
  name: JobName;
  payload: unknown;
  reason: string;
  attempts: number;
  failed_at: string | null;
};

export type JobsOverview = { backend: 'postgres' | 'redis'; queues: QueueOverview[]; recent_failures: JobFailure[] };

const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

async function queueOverview(name: JobName): Promise<QueueOverview> {
  const queue = getQueue(name);
  const [counts, scheduler, workers] = await Promise.all([
    queue.getJobCounts('wait', 'active', 'delayed', 'completed', 'failed'),
    queue.getJobScheduler(name),
    queue.getWorkersCount().catch(() => null),
  ]);
  return {
    name,
    waiting: counts.wait ?? 0,
    active: counts.active ?? 0,
    delayed: counts.delayed ?? 0,
    completed: counts.completed ?? 0,
    failed: counts.failed ?? 0,
    workers,
    every_seconds: scheduler?.every === undefined ? null : scheduler.every / 1000,
    next_run_at: iso(scheduler?.next),
  };
}

async function listFailures(name: JobName, limit: number): Promise<JobFailure[]> {
  const jobs = await getQueue(name).getFailed(0, limit - 1);
  return jobs.map((job) => ({
    id: job.id ?? '',
    name,
    payload: job.data,
    reason: job.failedReason ?? '',
    attempts: job.attemptsMade,
    failed_at: iso(job.finishedOn),
  }));
}

/**
 * The state of every queue and the latest failures over all of them, newest first.
 * @param limit how many failures, 1 to 200
 */
export async function jobsOverview(limit = 50): Promise<JobsOverview> {
  const names = Object.keys(JOBS) as JobName[];
  const queues = await Promise.all(names.map(queueOverview));
  // Most queues have none, and asking each takes a statement.
  const failing = queues.filter(({ failed }) => failed > 0);
  const failures = await Promise.all(failing.map(({ name }) => listFailures(name, limit)));
  return {
    backend: queueBackend.kind,
    queues,
    recent_failures: failures
      .flat()
      .sort((a, b) => (b.failed_at ?? '').localeCompare(a.failed_at ?? ''))
      .slice(0, limit),
  };
}
