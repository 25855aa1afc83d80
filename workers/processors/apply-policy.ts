import { deployAndObserve } from '@/server/services/deployments/deploy-and-observe';
import type { JobProcessors } from '../job-processors';

/** `policy.apply` */
export const applyPolicy: JobProcessors['policy.apply'] = ({ deployment_id }, { signal }) =>
  deployAndObserve(deployment_id, signal);
