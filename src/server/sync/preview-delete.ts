import type { ClusterCounts } from '@/domain/cluster';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { findCluster } from '../inventory/queries/clusters';
import { notFound } from '../lib/refusals';

/**
 * What would be deleted together with the cluster.
 * @throws AppError `not_found`
 */
export async function previewDelete(_scope: Scope<'cluster:write'>, id: string): Promise<ClusterCounts> {
  const cluster = await findCluster(db, id);
  if (!cluster) throw notFound('cluster');
  return cluster.counts;
}
