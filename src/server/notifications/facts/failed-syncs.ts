import { db } from '../../db/client';
import { listFailedSyncs } from '../queries/notification-facts';
import type { Collector } from './collector';

/** Clusters whose last sync failed. */
export const failedSyncs: Collector = async () => ({
  facts: (await listFailedSyncs(db)).map((cluster) => ({
    condition: 'sync_failed',
    key: cluster.cluster_id,
    object_kind: 'cluster',
    object_id: cluster.cluster_id,
    object_name: cluster.cluster_name,
    detail: cluster.last_sync_error ?? 'The last sync failed.',
  })),
});
