'use client';
import type { Change } from '@/domain/change/change';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { ChangeLink, ChangeStateView } from '../../shared/changes/change-state';

/** Every state that the change had: when, by whom, and with which comment. */
export function HistorySection({ change }: { change: Change }) {
  const t = useT();
  const { transitions, reverts, reverted_by: revertedBy } = change;
  return (
    <Section id="history" title={t('History')}>
      <ol aria-label={t('History')} className="flex flex-col gap-2">
        {transitions.map(({ to, at, by, comment }) => (
          <li key={`${to} ${at}`} className="flex flex-wrap items-baseline gap-x-3">
            <ChangeStateView state={to} />
            <span>{by.name}</span>
            <span className="text-muted">
              <RelativeTime at={at} />
              <span className="hidden print:inline"> ({formatDateTime(at)})</span>
            </span>
            {comment && <span className="w-full text-pretty text-muted [overflow-wrap:anywhere]">{comment}</span>}
          </li>
        ))}
      </ol>
      {reverts && (
        <p className="pt-2">
          <ChangeLink id={reverts} title={t('Change that this one reverts')} />
        </p>
      )}
      {revertedBy && (
        <p className="pt-2">
          <ChangeLink id={revertedBy} title={t('Change that reverts this one')} />
        </p>
      )}
    </Section>
  );
}
