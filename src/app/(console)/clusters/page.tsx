import type { Metadata } from 'next';
import { ClusterList } from '@/features/clusters/cluster-list';

export const metadata: Metadata = { title: 'Clusters' };

export default function ClustersPage() {
  return <ClusterList />;
}
