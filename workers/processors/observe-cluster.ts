import { observeCluster as observe } from '@/server/services/firewall/observe-cluster';
import type { JobProcessors } from '../job-processors';

/** `firewall.observe` */
export const observeCluster: JobProcessors['firewall.observe'] = ({ cluster_id }, { signal }) =>
  observe(cluster_id, signal);
