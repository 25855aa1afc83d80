import { ClusterDetail } from '@/features/clusters/cluster-detail';
import { ClusterFirewall } from '@/features/host-firewall/firewall-tabs';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';
import { NetworkTable, NodeTable, RunTable, WorkloadTable } from './tabs';

export const generateMetadata = withTitle(msg('Cluster'));

export default async function ClusterPage({ params }: { params: Promise<{ clusterId: string }> }) {
  const { clusterId } = await params;
  return (
    <ClusterDetail
      clusterId={clusterId}
      tables={{
        nodes: <NodeTable clusterId={clusterId} />,
        workloads: <WorkloadTable within={{ cluster_id: clusterId }} />,
        networks: <NetworkTable clusterId={clusterId} />,
        firewall: <ClusterFirewall clusterId={clusterId} />,
        runs: <RunTable clusterId={clusterId} />,
      }}
    />
  );
}
