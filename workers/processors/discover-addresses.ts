import { runDiscovery } from '@/server/services/ipam/discovery/run-discovery';
import type { JobProcessors } from '../job-processors';

/** `ipam.discover` */
export const discoverAddresses: JobProcessors['ipam.discover'] = ({ cluster_id }, { signal }) =>
  runDiscovery(cluster_id, { signal });
