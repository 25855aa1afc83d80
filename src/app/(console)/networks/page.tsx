import { NetworkList } from '@/features/networks/network-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Networks'));

export default function NetworksPage() {
  return <NetworkList />;
}
