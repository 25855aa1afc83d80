import { NodeFirewall } from '@/features/host-firewall/firewall-tabs';
import { NodeDetail } from '@/features/nodes/node-detail';
import { WorkloadTable } from '@/features/workloads/workload-table';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Node'));

export default async function NodePage({ params }: { params: Promise<{ nodeId: string }> }) {
  const { nodeId } = await params;
  return (
    <NodeDetail
      nodeId={nodeId}
      workloads={<WorkloadTable within={{ node_id: nodeId }} />}
      firewall={<NodeFirewall nodeId={nodeId} />}
    />
  );
}
