'use client';
import { useQuery } from '@tanstack/react-query';
import type { DecisionAt, ConversationWhy as Why } from '@/domain/flow/conversation-why';
import { formatDateTime } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { TimelineEvent } from '../timeline/timeline-event';
import { ACTION_LABELS } from '../verdict-labels';

/** Which rule decided a conversation when it began, which one would now, and what happened in between. */
export function ConversationWhy({ conversationId }: { conversationId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.conversations.why.queryOptions({ id: conversationId }), staleTime: 30_000 });
  return (
    <Section title={t('Then and now')} bare>
      {query.isPending ? (
        <Skeleton className="h-40" />
      ) : query.error && !query.data ? (
        <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
      ) : (
        query.data && <Content why={query.data} />
      )}
    </Section>
  );
}

/** Why the rules of an earlier time are not known, as far as they are not. */
function describeUnread(t: Translate, { unread }: DecisionAt): string | null {
  const [first] = unread;
  if (!first) return null;
  return first.reason === 'between' && first.last_read_at !== null && first.next_read_at !== null
    ? t('The rules were read at {last} and, changed, at {next}. Which of them were live is not known.', {
        last: formatDateTime(first.last_read_at),
        next: formatDateTime(first.next_read_at),
      })
    : t('The rules had not been read by then.');
}

function Decision({ decision }: { decision: DecisionAt }) {
  const t = useT();
  const { rules_say: say } = decision;
  if (!say) return t('Neither end is a workload whose rules you may see.');
  const { label, tone } = ACTION_LABELS[say.action];
  return (
    <span className="flex flex-col gap-0.5">
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{t(label)}</Badge>
        {say.policy_name !== null && say.policy_version !== null && (
          <span>
            {say.policy_name}, {t('Version {version}', { version: say.policy_version })}
          </span>
        )}
      </span>
      <span className="text-muted">{describeUnread(t, decision) ?? say.explanation}</span>
    </span>
  );
}

function Content({ why }: { why: Why }) {
  const t = useT();
  const { then: began, now, changed, decisive_ids: decisive, events } = why;
  return (
    <div className="flex flex-col gap-3">
      <Properties
        items={[
          {
            label: t('When it began'),
            value: began ? (
              <Decision decision={began} />
            ) : (
              t('Not recorded: history begins {when}.', { when: formatDateTime(why.recorded_since) })
            ),
          },
          { label: t('Now'), value: <Decision decision={now} /> },
          {
            label: t('Decision'),
            value:
              changed === null ? t('Unknown') : changed ? <Badge tone="warn">{t('Changed')}</Badge> : t('Unchanged'),
          },
        ]}
      />
      {events.length > 0 && (
        <>
          <h3 className="text-sm font-medium">{t('What happened since it began')}</h3>
          <ol aria-label={t('What happened since it began')} className="flex flex-col divide-y">
            {events.map((event) => (
              <TimelineEvent key={event.id} event={event} isDecisive={decisive.includes(event.id)} />
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
