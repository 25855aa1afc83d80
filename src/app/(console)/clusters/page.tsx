import { ClusterList } from '@/features/clusters/cluster-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Clusters'));

export default function ClustersPage() {
  return <ClusterList />;
}
