import type { Cluster } from '@/domain/cluster';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound } from '../lib/refusals';
import { findCluster } from './queries/clusters';

/** @throws AppError `not_found` */
export async function readCluster(_scope: Scope<'cluster:read'>, id: string): Promise<Cluster> {
  const cluster = await findCluster(db, id);
  if (!cluster) throw notFound('cluster');
  return cluster;
}
