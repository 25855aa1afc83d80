import type { Agent } from '@/domain/agent';
import { useT } from '@/lib/i18n/use-t';
import { Missing } from '@/ui/missing';
import { Status } from '@/ui/status';
import { AGENT_STATES } from './agent-words';

/** How the agent of a node reports; a dash when none is installed. */
export function AgentState({ status }: { status: Agent['status'] }) {
  const t = useT();
  if (status === null) return <Missing label={t('No agent')} />;
  const { tone, word } = AGENT_STATES[status];
  return <Status tone={tone}>{t(word)}</Status>;
}
