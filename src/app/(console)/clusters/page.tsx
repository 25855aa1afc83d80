import { ClusterList } from '@/features/clusters/cluster-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Clusters'));

export default function ClustersPage() {
  return <ClusterList />;
}
