import { TopologyPage } from '@/features/topology/topology-page';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Topology'));

export default function Page() {
  return <TopologyPage />;
}
