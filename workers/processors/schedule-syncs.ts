import { scheduleSyncs as schedule } from '@/server/services/clusters/schedule-syncs';
import type { JobProcessors } from '../job-processors';

/** `sync.schedule` */
export const scheduleSyncs: JobProcessors['sync.schedule'] = () => schedule();
