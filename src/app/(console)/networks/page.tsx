import { NetworkList } from '@/features/networks/network-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Networks'));

export default function NetworksPage() {
  return <NetworkList />;
}
