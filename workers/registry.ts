import type { JobName, JobPayload } from '@/server/jobs/definitions';
import { prune } from './processors/prune';
import { schedule } from './processors/schedule-syncs';
import { syncCluster } from './processors/sync-cluster';

/** What a processor is told besides its payload: `signal` aborts when the worker has to end. */
export type JobContext = { signal: AbortSignal };
export type JobProcessors = { [N in JobName]: (payload: JobPayload<N>, context: JobContext) => Promise<void> };

/** Who does which job. */
export const registry = {
  'cluster.sync': syncCluster,
  'maintenance.prune': prune,
  'sync.schedule': schedule,
} satisfies JobProcessors;
