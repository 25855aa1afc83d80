import { scheduleDiscovery as schedule } from '@/server/services/ipam/discovery/schedule-discovery';
import { sweepImports } from '@/server/services/ipam/imports/sweep-imports';
import type { JobProcessors } from '../job-processors';

/** `ipam.schedule` */
export const scheduleDiscovery: JobProcessors['ipam.schedule'] = async () => {
  await schedule();
  await sweepImports();
};
