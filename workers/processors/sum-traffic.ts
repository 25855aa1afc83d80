import { sumTraffic as sum } from '@/server/services/flows/sum-traffic';
import type { JobProcessors } from '../job-processors';

/** `traffic.sum` */
export const sumTraffic: JobProcessors['traffic.sum'] = async (_, { signal }) => {
  await sum(signal);
};
