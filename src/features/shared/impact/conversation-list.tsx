'use client';
import { IMPACT_OUTCOMES, IMPACT_SORTS } from '@/domain/choices';
import type { Impact } from '@/domain/impact/impact';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { EmptyState } from '@/ui/empty-state';
import { Section } from '@/ui/section';
import { declareList } from '../list/declare-list';
import { choice, searched } from '../list/filters';
import { ListView } from '../list/list-view';
import { WORKLOAD } from '../list/sources';
import { useList } from '../list/use-list';
import { conversationColumns } from './conversation-columns';
import { OUTCOME_LABELS } from './impact-labels';
import { ImpactTotals } from './impact-totals';

const CONVERSATIONS = declareList({
  from: 'impacts.conversations',
  name: 'impact',
  label: msg('Conversations'),
  noun: { one: msg('conversation'), many: msg('conversations') },
  search: msg('Search conversations'),
  sorts: IMPACT_SORTS,
  defaultSort: 'outcome',
  filters: {
    outcome: choice(msg('Outcome'), IMPACT_OUTCOMES, (one) => OUTCOME_LABELS[one].word),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
  },
  common: ['outcome'],
  columns: conversationColumns,
  rowId: ({ id }) => String(id),
  empty: { title: msg('No conversations'), text: msg('No conversation was evaluated in this time range.') },
});

/** The replayed conversations of an impact: counts, and the list, the most harmful first. */
export function ConversationList({ impact }: { impact: Impact }) {
  const t = useT();
  const list = useList(CONVERSATIONS, {
    within: { id: impact.id },
    refetchMs: impact.status === 'running' ? 2000 : undefined,
  });
  const { filters, setFilter } = list.state;
  // Only the most harmful ones are kept.
  const counted =
    impact.status === 'done'
      ? IMPACT_OUTCOMES.reduce((sum, outcome) => sum + impact.totals[outcome], 0) - impact.conversations.total
      : 0;
  return (
    <Section title={t('Observed conversations')} bare>
      <ImpactTotals
        impact={impact}
        chosen={filters.outcome}
        onChoose={(outcome) => setFilter('outcome', outcome === filters.outcome ? null : outcome)}
      />
      {impact.traffic_visible || (list.table.total ?? 0) > 0 ? (
        <>
          <ListView of={list} height="auto" />
          {counted > 0 && (
            <p className="text-muted">
              {t(
                '{n, plural, one {# more conversation is} other {# more conversations are}} counted, but not listed.',
                {
                  n: counted,
                },
              )}
            </p>
          )}
        </>
      ) : (
        <div className="rounded-lg border bg-surface">
          {impact.status === 'running' ? (
            <EmptyState title={t('No conversation found yet')}>
              {t('Conversations appear as they are found.')}
            </EmptyState>
          ) : (
            <EmptyState title={t('No conversations evaluated')}>
              {t('Observed traffic was not evaluated, so connections are unknown, not zero.')}
            </EmptyState>
          )}
        </div>
      )}
    </Section>
  );
}
