import { pruneExpired } from '@/server/services/maintenance/prune-expired';
import type { JobProcessors } from '../job-processors';

/** `maintenance.prune` */
export const prune: JobProcessors['maintenance.prune'] = async () => {
  await pruneExpired();
};
