import type { JobPayload } from '@/server/jobs/definitions';
import { runClusterSync } from '@/server/services/clusters/run-sync';

/** `cluster.sync` */
export const syncCluster = ({ cluster_id }: JobPayload<'cluster.sync'>, context: { signal: AbortSignal }) =>
  runClusterSync(cluster_id, context);
