import type { JobsOptions } from 'bullmq';
import type { z } from 'zod';

/**
 * A kind of background work. Its payload is the identity of what to work on, never facts: a job may run late, twice, or
 * after its queue was lost and rebuilt, and reads what is true when it runs.
 */
export type JobDefinition<Name extends string = string, Schema extends z.ZodType = z.ZodType> = {
  name: Name;
  payload: Schema;
  /** Jobs with the same key never run side by side, and at most one waits behind the one that runs. */
  key: (payload: z.output<Schema>) => string;
  /** How many run concurrently in one worker process. */
  concurrency: number;
  /** How often it is tried before it counts as failed. */
  attempts: number;
  /** Pause before the second try; it doubles with each further one. */
  backoffMs: number;
  /** Runs by itself at this interval with an empty payload; absent: only when enqueued. */
  everyMs?: number;
};

type Defaults = 'concurrency' | 'attempts' | 'backoffMs';

/** Completes a definition with the usual values: one at a time, three tries, 5 seconds before the second. */
export function defineJob<const Name extends string, Schema extends z.ZodType>(
  definition: Omit<JobDefinition<Name, Schema>, Defaults> & Partial<Pick<JobDefinition, Defaults>>,
): JobDefinition<Name, Schema> {
  return { concurrency: 1, attempts: 3, backoffMs: 5_000, ...definition };
}

const DAY_SECONDS = 86_400;

/** What every queued job of a definition carries: tries, pauses, and how long its record stays. */
export function jobOptions(job: Pick<JobDefinition, 'attempts' | 'backoffMs'>): JobsOptions {
  return {
    attempts: job.attempts,
    backoff: { type: 'exponential', delay: job.backoffMs },
    removeOnComplete: { count: 100, age: DAY_SECONDS },
    removeOnFail: { count: 500, age: 14 * DAY_SECONDS },
  };
}
