import { scheduleSyncs } from '@/server/services/clusters/schedule-syncs';

/** `sync.schedule` */
export const schedule = (): Promise<void> => scheduleSyncs();
