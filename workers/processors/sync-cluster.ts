import { runClusterSync } from '@/server/services/clusters/run-sync';
import type { JobProcessors } from '../job-processors';

/** `cluster.sync` */
export const syncCluster: JobProcessors['cluster.sync'] = ({ cluster_id }, { signal }) =>
  runClusterSync(cluster_id, { signal });
