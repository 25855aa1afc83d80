'use client';
import type { Change } from '@/domain/change/change';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Section } from '@/ui/section';
import type { ChangeAction } from '../../shared/changes/change-labels';
import { ConfirmCountdown } from '../../shared/changes/change-state';

type Props = { change: Change; pending: boolean; onTake: (action: ChangeAction) => void };

/** While the change awaits confirmation: the time left, and the two ways on. */
export function WatchSection({ change, pending, onTake }: Props) {
  const t = useT();
  const { confirm_until: until, actions } = change;
  const isPermitted = actions.includes('confirm');
  const reason = isPermitted ? null : t('Requires the permission to apply everything that the change edits.');
  return (
    <Section id="watch" title={t('Awaiting confirmation')}>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="min-w-0 flex-1 basis-72">
          {until && (
            <p className="text-lg">
              {t.rich('Rolled back in {left} unless confirmed', { left: <ConfirmCountdown until={until} /> })}
            </p>
          )}
          <p className="text-pretty text-muted">
            {t('All workloads are written. Established connections bypass new rules, so watch new ones.')}
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
            {t('Confirm')}
          </Button>
        </div>
      </div>
    </Section>
  );
}
