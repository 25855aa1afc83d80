import type { Scope } from '../auth/scope';
import { type JobsOverview, jobsOverview } from '../jobs/overview';

const RECENT_FAILURES = 50;

/** The state of every queue, with the latest failures. */
export function readJobsOverview(_scope: Scope<'job:read'>): Promise<JobsOverview> {
  return jobsOverview(RECENT_FAILURES);
}
