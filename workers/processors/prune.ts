import { pruneExpired } from '@/server/services/maintenance/prune-expired';

/** `maintenance.prune` */
export const prune = async (): Promise<void> => {
  await pruneExpired();
};
