import type { Cluster, ClusterListInput } from '@/domain/cluster';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import * as repository from './queries/clusters';

/** One page of the clusters. */
export function listClusters(_scope: Scope<'cluster:read'>, input: ClusterListInput): Promise<Page<Cluster>> {
  return repository.listClusters(input);
}
