import { scheduleObservations as schedule } from '@/server/services/firewall/schedule-observations';
import type { JobProcessors } from '../job-processors';

/** `firewall.schedule` */
export const scheduleObservations: JobProcessors['firewall.schedule'] = () => schedule();
