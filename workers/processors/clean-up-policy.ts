import { deployAndObserve } from '@/server/services/deployments/deploy-and-observe';
import type { JobProcessors } from '../job-processors';

/** `policy.cleanup` */
export const cleanUpPolicy: JobProcessors['policy.cleanup'] = ({ deployment_id }, { signal }) =>
  deployAndObserve(deployment_id, signal);
