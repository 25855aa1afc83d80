import type { Metadata } from 'next';
import { NetworkDetail } from '@/features/networks/network-detail';
import { WorkloadTable } from '@/features/workloads/workload-table';

export const metadata: Metadata = { title: 'Network' };

export default async function NetworkPage({ params }: { params: Promise<{ networkId: string }> }) {
  const { networkId } = await params;
  return <NetworkDetail networkId={networkId} workloads={<WorkloadTable within={{ network_id: networkId }} />} />;
}
