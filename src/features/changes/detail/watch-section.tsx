'use client';
import { useQuery } from '@tanstack/react-query';
import type { Change } from '@/domain/change/change';
import type { ChangeCheck, ChangeWatch, WatchedConversation } from '@/domain/change/watch';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { Status, type Tone } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import type { ChangeAction } from '../../shared/changes/change-labels';
import { ConfirmCountdown } from '../../shared/changes/change-state';
import { QueryView } from '../../shared/query-view';

type Props = { change: Change; pending: boolean; onTake: (action: ChangeAction) => void };

const WATCH_MS = 5000;

/** What is watched since the first write; while its timer runs also the time left, and what ends it. */
export function WatchSection({ change, pending, onTake }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.changeRollout.watch.queryOptions({ id: change.id }),
    // What is observed changes without an event.
    refetchInterval: WATCH_MS,
  });
  const isAwaiting = change.state === 'awaiting_confirmation';
  return (
    <Section id="watch" title={isAwaiting ? t('Awaiting confirmation') : t('Watched since the write')}>
      <div className="flex flex-col gap-4">
        {change.confirm_until !== null && <Decision change={change} pending={pending} onTake={onTake} />}
        <QueryView query={query} skeleton={<Skeleton className="h-24 w-full" />}>
          {(watch) => <Observed watch={watch} />}
        </QueryView>
      </div>
    </Section>
  );
}

function Decision({ change: { state, confirm_until: until, actions }, pending, onTake }: Props) {
  const t = useT();
  const isWritten = state === 'awaiting_confirmation';
  const left = until && <ConfirmCountdown until={until} />;
  const reason = actions.includes('confirm')
    ? null
    : t('Requires the permission to apply everything that the change edits.');
  return (
    <div className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="text-lg">
          {isWritten
            ? t.rich('Rolled back in {left} unless confirmed', { left })
            : t.rich('Rolled back in {left} unless continued', { left })}
        </p>
        <p className="text-pretty text-muted">
          {isWritten
            ? t('All workloads are written. Established connections bypass new rules, so watch new ones.')
            : t('Some workloads may be written. To decide later, stop the timer.')}
        </p>
      </div>
      <div className="flex flex-wrap gap-3 print:hidden">
        <Button className="h-10 px-5" variant="danger" onClick={() => onTake('roll_back')} disabledReason={reason}>
          {t('Roll back')}
        </Button>
        <Button
          className="h-10 px-5"
          variant="primary"
          pending={pending}
          onClick={() => onTake('confirm')}
          disabledReason={reason}
        >
          {isWritten ? t('Confirm') : t('Stop timer')}
        </Button>
      </div>
    </div>
  );
}

function Observed({ watch: { checks, conversations } }: { watch: ChangeWatch }) {
  const t = useT();
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-1">
        <h3 className="font-medium">{t('Checks')}</h3>
        {checks.length === 0 && (
          <p className="text-muted">{t('No policy test, protected connection or agent concerns these workloads.')}</p>
        )}
        <ul aria-label={t('Checks')} className="flex flex-col gap-1">
          {checks.map((check, i) => (
            <li key={check.id ?? `hidden ${i}`} className="flex flex-wrap items-baseline gap-x-3">
              <Status tone={CHECKS[check.state].tone}>{t(CHECKS[check.state].word)}</Status>
              <CheckName check={check} />
              {check.since && (
                <span className="text-muted">
                  <RelativeTime at={check.since} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <h3 className="font-medium">{t('Conversations')}</h3>
        {conversations ? (
          <Conversations conversations={conversations} />
        ) : (
          <p className="text-muted">{t('No data, or not visible to you.')}</p>
        )}
      </div>
    </div>
  );
}

const CHECKS: Record<ChangeCheck['state'], { tone: Tone; word: string }> = {
  holding: { tone: 'ok', word: msg('Holds') },
  failing: { tone: 'danger', word: msg('Fails') },
  failing_before: { tone: 'warn', word: msg('Failed before') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

function CheckName({ check: { kind, id, name } }: { check: ChangeCheck }) {
  const t = useT();
  if (id === null || name === null) return t('Not visible to you');
  if (kind === 'agent') return t('Agent on {node}', { node: name });
  return (
    <Link className="link" href={paths.policyTest({ testId: id })}>
      {name}
    </Link>
  );
}

const REASONS: Record<WatchedConversation['reason'], string> = {
  dropped: msg('Dropped'),
  silent: msg('Not seen since'),
  new_drop: msg('Newly dropped'),
};

type Counted = NonNullable<ChangeWatch['conversations']>;

/** Only what was opened since the last write verifies the rules; what runs on old entries does not. */
const COUNTS: readonly (readonly [keyof Omit<Counted, 'listed' | 'watched'>, string, Tone])[] = [
  ['opened_anew', msg('Opened since: verified'), 'ok'],
  ['on_old_entries', msg('On old connections: not verified'), 'unknown'],
  ['dropped', msg('Dropped'), 'danger'],
  ['silent', msg('Not seen since'), 'warn'],
  ['new_drops', msg('Newly dropped'), 'danger'],
];

function Conversations({ conversations }: { conversations: Counted }) {
  const t = useT();
  return (
    <>
      <p className="text-muted">
        {t('{n, plural, one {# conversation} other {# conversations}} seen in the hour before.', {
          n: conversations.watched,
        })}
      </p>
      <ul className="flex flex-col">
        {COUNTS.map(([key, word, tone]) => (
          <li key={key}>
            <Status tone={conversations[key] > 0 ? tone : 'off'}>
              {t('{label}: {n, number}', { label: t(word), n: conversations[key] })}
            </Status>
          </li>
        ))}
      </ul>
      {conversations.listed.length > 0 && (
        <ul aria-label={t('Conversations to check')} className="flex flex-col">
          {conversations.listed.map(({ client, server, protocol, port, reason }) => (
            <li
              key={`${reason} ${client.address} ${server.address} ${protocol} ${port}`}
              className="[overflow-wrap:anywhere]"
            >
              <span className="mono">
                {client.address} → {server.address} {protocol}
                {port !== null && `/${port}`}
              </span>{' '}
              <span className="text-muted">{t(REASONS[reason])}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
