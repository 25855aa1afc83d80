'use client';
import { useId, useState } from 'react';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { Select } from '@/ui/select';
import { TextInput } from '@/ui/text-input';
import { useDriftActions } from './use-drift-actions';

const DAY_MS = 86_400_000;
const LENGTHS = ['7', '30', '90', '365'] as const;

type Props = { ids: readonly string[]; onClose: () => void; onDone: () => void };

/** Asks until when and why differences are accepted. Mount it when it opens. */
export function AcceptDriftDialog({ ids, onClose, onDone }: Props) {
  const t = useT();
  const lengthId = useId();
  const reasonId = useId();
  const [days, setDays] = useState<(typeof LENGTHS)[number]>('30');
  const [opened] = useState(() => Date.now());
  const [reason, setReason] = useState('');
  const { accept } = useDriftActions(onDone);
  const until = new Date(opened + Number(days) * DAY_MS).toISOString();
  const missing = reason.trim() === '' && t('Enter a reason.');
  const submit = () => accept.mutate({ drift_ids: [...ids], until, reason: reason.trim() });
  const failure = accept.error ? toFailure(accept.error) : null;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('{n, plural, one {Accept # difference} other {Accept # differences}}', { n: ids.length })}
      description={t(
        'Accepted differences do not affect the status of the policy until then, or until the live content changes again.',
      )}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="primary" pending={accept.isPending} disabledReason={missing} onClick={submit}>
            {t('Accept')}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing) submit();
        }}
      >
        <div className="flex flex-col gap-1">
          <label htmlFor={reasonId} className="text-sm font-medium">
            {t('Reason')}
          </label>
          <TextInput id={reasonId} value={reason} onChange={(event) => setReason(event.target.value)} maxLength={500} />
        </div>
        <div className="flex flex-col gap-1">
          <span id={lengthId} className="text-sm font-medium">
            {t('For')}
          </span>
          <Select
            aria-labelledby={lengthId}
            value={days}
            onValueChange={setDays}
            options={LENGTHS.map((value) => ({
              value,
              label: t('{n, plural, one {# day} other {# days}}', { n: Number(value) }),
            }))}
          />
          <span className="text-sm text-faint">{t('until {time}', { time: formatDateTime(until) })}</span>
        </div>
        {failure && (
          <Notice tone="danger" title={failure.title} live>
            {failure.detail}
          </Notice>
        )}
      </form>
    </Dialog>
  );
}
