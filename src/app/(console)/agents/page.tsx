import { AgentList } from '@/features/agents/agent-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Agents'));

export default function AgentsPage() {
  return <AgentList />;
}
