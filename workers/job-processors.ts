import type { JobName, JobPayload } from '@/server/jobs/definitions';

/** What a processor is told besides its payload: `signal` aborts when the worker has to end or lost the job. */
export type JobContext = { signal: AbortSignal };

/** One processor per job. */
export type JobProcessors = { [N in JobName]: (payload: JobPayload<N>, context: JobContext) => Promise<void> };
