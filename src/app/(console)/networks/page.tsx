import type { Metadata } from 'next';
import { NetworkList } from '@/features/networks/network-list';

export const metadata: Metadata = { title: 'Networks' };

export default function NetworksPage() {
  return <NetworkList />;
}
