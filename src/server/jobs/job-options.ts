import type { JobsOptions } from 'bullmq';
import type { JobDefinition } from './define';

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
