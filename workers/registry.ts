import type { JobProcessors } from './job-processors';
import { prune } from './processors/prune';
import { scheduleSyncs } from './processors/schedule-syncs';
import { syncCluster } from './processors/sync-cluster';

/** Who does which job; complete by type. */
export const registry = {
  'cluster.sync': syncCluster,
  'sync.schedule': scheduleSyncs,
  'maintenance.prune': prune,
} satisfies JobProcessors;
