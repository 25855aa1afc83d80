import { runDeployment } from '@/server/services/deployments/run-deployment';
import type { JobProcessors } from '../job-processors';

/** `policy.cleanup` */
export const cleanUpPolicy: JobProcessors['policy.cleanup'] = ({ deployment_id }, { signal }) =>
  runDeployment(deployment_id, { signal });
