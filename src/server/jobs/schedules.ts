import { clock } from '../lib/clock';
import { jobOptions } from './define';
import { JOBS, type JobName } from './definitions';
import { getQueue } from './queues';

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
    const overdueSince = clock.now().getTime() - job.everyMs;
    if (present?.every === job.everyMs && (present.next ?? 0) > overdueSince) continue;
    await queue.upsertJobScheduler(
      job.name,
      { every: job.everyMs },
      { name: job.name, data: {}, opts: jobOptions(job) },
    );
    written.push(job.name);
  }
  return written;
}
