import type { ClusterCounts } from '@/domain/cluster';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findCluster } from '../../repositories/clusters';
import { noSuchCluster } from './no-such-cluster';

/**
 * What would be deleted together with the cluster.
 * @throws AppError `not_found`
 */
export async function previewDelete(_scope: Scope<'cluster:write'>, id: string): Promise<ClusterCounts> {
  const cluster = await findCluster(db, id);
  if (!cluster) throw noSuchCluster();
  return cluster.counts;
}
