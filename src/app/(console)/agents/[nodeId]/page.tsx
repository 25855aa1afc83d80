import { AgentDetail } from '@/features/agents/agent-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Agent'));

export default async function AgentPage({ params }: { params: Promise<{ nodeId: string }> }) {
  const { nodeId } = await params;
  return <AgentDetail nodeId={nodeId} />;
}
