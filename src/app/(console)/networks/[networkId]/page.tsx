import { NetworkFirewall } from '@/features/host-firewall/firewall-tabs';
import { NetworkDetail } from '@/features/networks/network-detail';
import { WorkloadTable } from '@/features/workloads/workload-table';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Network'));

export default async function NetworkPage({ params }: { params: Promise<{ networkId: string }> }) {
  const { networkId } = await params;
  return (
    <NetworkDetail
      networkId={networkId}
      workloads={<WorkloadTable within={{ network_id: networkId }} />}
      firewall={<NetworkFirewall networkId={networkId} />}
    />
  );
}
