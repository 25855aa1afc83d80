import { ClusterDetail } from '@/features/clusters/cluster-detail';
import { ClusterFirewall } from '@/features/host-firewall/firewall-tabs';
import { NetworkTable } from '@/features/networks/network-table';
import { NodeTable } from '@/features/nodes/node-table';
import { RunTable } from '@/features/sync-runs/run-table';
import { WorkloadTable } from '@/features/workloads/workload-table';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Cluster'));

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
