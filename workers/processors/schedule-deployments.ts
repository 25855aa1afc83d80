import { scheduleDeployments as schedule } from '@/server/services/deployments/schedule-deployments';
import type { JobProcessors } from '../job-processors';

/** `deployment.schedule` */
export const scheduleDeployments: JobProcessors['deployment.schedule'] = () => schedule();
