import { type QueueState, queueBackend } from './backend';
import { JOBS, type JobName } from './definitions';
import { getQueue } from './queues';

export type QueueOverview = Omit<QueueState, 'every_ms' | 'next_run_ms'> & {
  name: JobName;
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

const iso = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString());

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
  const states = await queueBackend.states(names.map(getQueue));
  const queues = states.map(({ every_ms, next_run_ms, ...state }, at) => ({
    name: names[at] as JobName,
    ...state,
    every_seconds: every_ms === null ? null : every_ms / 1000,
    next_run_at: iso(next_run_ms),
  }));
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
