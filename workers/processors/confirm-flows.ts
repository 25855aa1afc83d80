import { confirmReports } from '@/server/services/flows/confirm-reports';
import type { JobProcessors } from '../job-processors';

/** `flows.confirm` */
export const confirmFlows: JobProcessors['flows.confirm'] = async (_, { signal }) => {
  await confirmReports({ signal });
};
