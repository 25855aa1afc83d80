import type { Node } from '@/domain/inventory';
import { Missing } from '@/ui/missing';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

const STATES: Record<NonNullable<Node['agent_status']>, { tone: Tone; word: string }> = {
  pending: { tone: 'neutral', word: 'Waiting' },
  ok: { tone: 'ok', word: 'OK' },
  degraded: { tone: 'warn', word: 'Degraded' },
  silent: { tone: 'danger', word: 'Silent' },
};

/** How the agent of a node reports; a dash when none is installed. */
export function AgentState({ status }: { status: Node['agent_status'] }) {
  if (status === null) return <Missing label="No agent" />;
  const { tone, word } = STATES[status];
  return <Status tone={tone}>{word}</Status>;
}
