import { runDeployment } from '@/server/services/deployments/run-deployment';
import type { JobProcessors } from '../job-processors';

/** `policy.apply` */
export const applyPolicy: JobProcessors['policy.apply'] = ({ deployment_id }, { signal }) =>
  runDeployment(deployment_id, { signal });
