'use client';
import clsx from 'clsx';
import type { AgentSummary } from '@/domain/agent';
import type { AGENT_STATUSES } from '@/domain/choices';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { StatusDot, type Tone } from '@/ui/status';
import { AGENT_STATES } from '../shared/agents/agent-state';

export type AgentFilter = {
  status: (typeof AGENT_STATUSES)[number] | 'none' | null;
  outdated: boolean | null;
  lacking: boolean | null;
};

const NOTHING: AgentFilter = { status: null, outdated: null, lacking: null };

/** In the order of urgency. */
const ORDER = ['silent', 'degraded', 'pending', 'none', 'ok'] as const satisfies readonly (
  | (typeof AGENT_STATUSES)[number]
  | 'none'
)[];

type Props = { summary: AgentSummary; filter: AgentFilter; onFilter: (filter: AgentFilter) => void };

/** How many nodes are in which state; pressing one shows those. */
export function AgentCounts({ summary, filter, onFilter }: Props) {
  const t = useT();
  const chips: { id: string; tone: Tone; word: string; count: number; filter: AgentFilter }[] = [
    ...ORDER.map((status) => ({
      id: status,
      tone: AGENT_STATES[status].tone,
      word: t(AGENT_STATES[status].word),
      count: summary[status],
      filter: { ...NOTHING, status },
    })),
    {
      id: 'lacking',
      tone: 'warn',
      word: t('Missing collectors'),
      count: summary.lacking,
      filter: { ...NOTHING, lacking: true },
    },
    {
      id: 'outdated',
      tone: 'warn',
      word: t('Outdated'),
      count: summary.outdated,
      filter: { ...NOTHING, outdated: true },
    },
  ];
  return (
    <ul aria-label={t('Nodes by agent state')} className="flex flex-wrap gap-2">
      {chips
        .filter(({ id, count }) => count > 0 || id === 'ok')
        .map(({ id, tone, word, count, filter: requested }) => {
          const chosen = JSON.stringify(requested) === JSON.stringify(filter);
          return (
            <li key={id}>
              <button
                type="button"
                aria-pressed={chosen}
                onClick={() => onFilter(chosen ? NOTHING : requested)}
                className={clsx(
                  'inline-flex h-8 items-center gap-2 rounded-md border px-3 hover:bg-surface-2',
                  chosen ? 'border-accent bg-accent-soft' : 'bg-surface',
                )}
              >
                <StatusDot tone={count > 0 ? tone : 'off'} />
                <span className="font-semibold tabular-nums">{formatCount(count)}</span>
                <span className="text-muted">{word}</span>
              </button>
            </li>
          );
        })}
    </ul>
  );
}
