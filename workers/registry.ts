import type { JobName, JobPayload } from '@/server/jobs/definitions';
import { prune } from './processors/prune';

/** What a processor is told besides its payload: `signal` aborts when the worker has to end. */
export type JobContext = { signal: AbortSignal };
export type JobProcessors = { [N in JobName]: (payload: JobPayload<N>, context: JobContext) => Promise<void> };

/** Who does which job. */
export const registry = {
  'maintenance.prune': prune,
} satisfies Partial<JobProcessors>;
