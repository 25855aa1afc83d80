import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Job, UnrecoverableError, WaitingError } from 'bullmq';
import { type JobWorker, queueBackend } from '@/server/jobs/backend';
import { JOBS, type JobName } from '@/server/jobs/definitions';
import { ensureSchedules } from '@/server/jobs/schedules';
import { AppError, type ErrorCode } from '@/server/lib/errors';
import { logger } from '@/server/lib/logger';
import { createJobSeries, observeJob } from '@/server/lib/metrics';
import type { JobContext, JobProcessors } from './processors';

/** Retrying can help only where something outside may have changed. */
const TEMPORARY = new Set<ErrorCode>(['internal', 'upstream', 'upstream_timeout', 'unavailable', 'too_many_requests']);

/**
 * What a failed job tells: whether another try makes sense, and a reason that can be shown. An error that is not an
 * `AppError` may hold anything, so its text stays in the log.
 */
function classifyError(error: unknown): { retry: boolean; reason: string } {
  if (error instanceof AppError) return { retry: TEMPORARY.has(error.code), reason: error.message };
  return { retry: true, reason: 'Unexpected error; see the worker log' };
}

type Options = {
  /** A job whose worker gives no sign for this long is taken over by another worker. */
  lockDurationMs?: number;
  stalledIntervalMs?: number;
  /** How long running jobs may finish when the process ends; then their signal aborts and they wait for another worker. */
  graceMs?: number;
  /** How long after the grace the workers may take to close. With what follows, that ends before the supervisor ends the process. */
  lateMs?: number;
  scheduleCheckMs?: number;
};

/** How long a worker waits after an error of the store, in milliseconds. */
const RETRY_MS = 2_000;

export type WorkerRuntime = {
  /** Stops taking jobs, lets running ones finish or puts them back, and closes the workers. */
  close(): Promise<void>;
};

/** Starts a worker per job and keeps the schedules in place. Resolves when all of them take jobs. */
export async function startWorkers(processors: JobProcessors, options: Options = {}): Promise<WorkerRuntime> {
  const { lockDurationMs = 30_000, stalledIntervalMs = 15_000, scheduleCheckMs = 30_000 } = options;
  const { graceMs = 10_000, lateMs = 5_000 } = options;
  const stopping = new AbortController();

  const run = async (name: JobName, job: Job, token: string | undefined, signal: AbortSignal): Promise<void> => {
    const payload = JOBS[name].payload.safeParse(job.data);
    if (!payload.success) throw new UnrecoverableError('expected a payload that matches the job definition');
    const started = performance.now();
    const log = logger.child({ job: name, job_id: job.id, payload: payload.data });
    const done = (result: 'ok' | 'failed' | 'requeued') => {
      const seconds = (performance.now() - started) / 1000;
      observeJob({ name, result, seconds });
      return { result, seconds };
    };
    try {
      // The table is complete by type, but TypeScript cannot pair a name and its payload over a union.
      const process = processors[name] as (payload: unknown, context: JobContext) => Promise<void>;
      await process(payload.data, { signal: AbortSignal.any([signal, stopping.signal]) });
      // The success of a job that runs every minute is not worth an `info` line.
      log[JOBS[name].everyMs ? 'debug' : 'info'](done('ok'), 'job done');
    } catch (error) {
      if (stopping.signal.aborted) {
        log.info(done('requeued'), 'job requeued: the worker is stopping');
        await job.moveToWait(token);
        throw new WaitingError();
      }
      const { retry, reason } = classifyError(error);
      log.error({ ...done('failed'), err: error, attempt: job.attemptsMade + 1, retry }, 'job failed');
      throw retry ? new Error(reason) : new UnrecoverableError(reason);
    }
  };

  const start = (name: JobName): JobWorker => {
    const worker = queueBackend.worker(name, (job, token, signal) => run(name, job, token, signal as AbortSignal), {
      name: `${hostname()}-${process.pid}`,
      concurrency: JOBS[name].concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: 3,
      runRetryDelay: RETRY_MS,
    });
    worker.on('error', (error) => {
      logger.warn({ err: error, job: name }, 'worker error');
      // BullMQ waits only after a refused connection. After other errors, as from a server that is starting or full, it would ask again
      // as fast as these come, so that is paused as if a limit of its rate were reached.
      Object.assign(worker, { limitUntil: Date.now() + RETRY_MS });
    });
    worker.on('stalled', (id) => logger.warn({ job: name, job_id: id }, 'job taken over: its worker does not respond'));
    // Another worker may have it by now; this one must stop writing.
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) worker.cancelJob(id, 'lock lost');
    });
    return worker;
  };

  const names = Object.keys(processors) as JobName[];
  createJobSeries(names);
  const workers = names.map(start);
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  await ensureSchedules();
  const scheduleCheck = setInterval(() => {
    ensureSchedules().then(
      (written) => written.length > 0 && logger.warn({ jobs: written }, 'missing schedules restored'),
      (error: unknown) => logger.warn({ err: error }, 'cannot check the schedules'),
    );
  }, scheduleCheckMs);

  let closing: Promise<void> | undefined;
  return {
    close() {
      closing ??= (async () => {
        clearInterval(scheduleCheck);
        const grace = setTimeout(() => stopping.abort(new Error('the worker is stopping')), graceMs);
        const open = new Set(workers);
        const closed = Promise.allSettled(
          workers.map(async (worker) => {
            await worker.close();
            open.delete(worker);
          }),
        );
        // A worker may wait for a store that is permanently gone; another worker takes over its jobs.
        const deadline = new AbortController();
        await Promise.race([closed, delay(graceMs + lateMs, undefined, { signal: deadline.signal }).catch(() => {})]);
        deadline.abort();
        if (open.size > 0) logger.warn({ jobs: [...open].map(({ name }) => name) }, 'workers did not stop in time');
        clearTimeout(grace);
      })();
      return closing;
    },
  };
}
