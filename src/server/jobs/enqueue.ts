import { AppError } from '../lib/errors';
import { logger } from '../lib/logger';
import { jobOptions } from './define';
import { JOBS, type JobName, type JobPayload } from './definitions';
import { getQueue } from './queues';

const TIMEOUT_MS = 5_000;

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Puts a job into its queue, unless one with the same key waits already: that one will do. While one with the same key
 * runs, one more waits behind it, because what changed may have been read before.
 * @throws AppError `unavailable` when the queue cannot be reached within 5 seconds.
 */
export async function enqueue<N extends JobName>(job: { name: N }, payload: JobPayload<N>): Promise<void> {
  const definition = JOBS[job.name];
  const parsed = definition.payload.parse(payload);
  const id = (definition.key as (payload: unknown) => string)(parsed);
  try {
    await withTimeout(
      getQueue(job.name).add(job.name, parsed, {
        ...jobOptions(definition),
        deduplication: { id, keepLastIfActive: true },
      }),
    );
  } catch (cause) {
    throw new AppError('unavailable', 'The job queue does not respond. Try again in a moment.', { cause });
  }
}

/**
 * Puts jobs of what is stored as waiting into their queues. When these do not answer it keeps waiting: its schedule finds it within
 * a minute.
 */
export async function enqueueOrWait(what: string, ids: object, enqueueAll: () => Promise<void>): Promise<void> {
  try {
    await enqueueAll();
  } catch (error) {
    logger.warn({ err: error, ...ids }, `cannot reach the job queue; ${what} stays queued`);
  }
}
