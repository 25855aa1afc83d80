import { MINUTE_MS } from '@/domain/durations';
import { clock } from '../lib/clock';
import { jobOptions } from './define';
import { JOBS, type JobName } from './definitions';
import { getQueue } from './queues';

/** Whether the next run lies further ahead than the interval reaches: it was planned by a clock that was put back since. */
export const isTooFarAhead = (next: number, everyMs: number, now: number): boolean => next > now + everyMs + MINUTE_MS;

/**
 * Makes the queue's schedules those of the definitions. Only what is missing, different or stuck is written, so it may
 * run at every start and every minute: a queue that was lost (an emptied Redis) is rebuilt that way.
 * @returns the names of the jobs whose schedule was written
 */
export async function ensureSchedules(): Promise<JobName[]> {
  const written: JobName[] = [];
  for (const job of Object.values(JOBS)) {
    if (!job.everyMs) continue;
    const queue = getQueue(job.name);
    const present = await queue.getJobScheduler(job.name);
    const now = clock.now().getTime();
    const next = present?.next ?? 0;
    const isAhead = isTooFarAhead(next, job.everyMs, now);
    if (present?.every === job.everyMs && next > now - job.everyMs && !isAhead) continue;
    // With the same interval the queue would keep the next run.
    if (isAhead) await queue.removeJobScheduler(job.name);
    await queue.upsertJobScheduler(
      job.name,
      { every: job.everyMs },
      { name: job.name, data: {}, opts: jobOptions(job) },
    );
    written.push(job.name);
  }
  return written;
}
