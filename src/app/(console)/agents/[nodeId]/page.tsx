import type { Metadata } from 'next';
import { AgentDetail } from '@/features/agents/agent-detail';

export const metadata: Metadata = { title: 'Agent' };

export default async function AgentPage({ params }: { params: Promise<{ nodeId: string }> }) {
  const { nodeId } = await params;
  return <AgentDetail nodeId={nodeId} />;
}
