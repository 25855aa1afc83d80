import { AgentList } from '@/features/agents/agent-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Agents'));

export default function AgentsPage() {
  return <AgentList />;
}
