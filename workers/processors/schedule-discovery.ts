import { scheduleDiscovery as schedule } from '@/server/services/ipam/discovery/schedule-discovery';
import type { JobProcessors } from '../job-processors';

/** `ipam.schedule` */
export const scheduleDiscovery: JobProcessors['ipam.schedule'] = () => schedule();
