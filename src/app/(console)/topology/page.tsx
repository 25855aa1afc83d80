import { TopologyPage } from '@/features/topology/topology-page';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Topology'));

export default function Page() {
  return <TopologyPage />;
}
