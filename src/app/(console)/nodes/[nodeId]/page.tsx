import type { Metadata } from 'next';
import { NodeDetail } from '@/features/nodes/node-detail';
import { WorkloadTable } from '@/features/workloads/workload-table';

export const metadata: Metadata = { title: 'Node' };

export default async function NodePage({ params }: { params: Promise<{ nodeId: string }> }) {
  const { nodeId } = await params;
  return <NodeDetail nodeId={nodeId} workloads={<WorkloadTable within={{ node_id: nodeId }} />} />;
}
