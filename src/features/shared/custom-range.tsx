'use client';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { fromLocalInput, type TimeRange, toLocalInput } from './time-range';

/** Two given times, each of which may be left out. */
export function CustomRange({ since, until, onApply }: TimeRange & { onApply: (range: TimeRange) => void }) {
  const t = useT();
  const [from, setFrom] = useState(() => toLocalInput(since));
  const [to, setTo] = useState(() => toLocalInput(until));
  const range = { since: fromLocalInput(from), until: fromLocalInput(to) };
  const reversed = range.since !== null && range.until !== null && range.since >= range.until;
  const reason = reversed
    ? t('The start must be before the end')
    : !range.since && !range.until
      ? t('Enter a time')
      : null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) onApply(range);
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="font-medium">{t('From')}</span>
        <input
          type="datetime-local"
          className="control px-2.5"
          value={from}
          onChange={(e) => setFrom(e.target.value)}
        />
      </label>
      <label className="flex flex-col gap-1">
        {/* Elsewhere "To" is a direction, which is another word in other languages. */}
        {t.rich('<end>To</end>', { end: (inside) => <span className="font-medium">{inside}</span> })}
        <input type="datetime-local" className="control px-2.5" value={to} onChange={(e) => setTo(e.target.value)} />
      </label>
      <p className="text-sm text-faint">{t('In the time zone of this browser.')}</p>
      <div className="flex justify-end">
        <Button type="submit" variant="primary" disabledReason={reason}>
          {t('Show time range')}
        </Button>
      </div>
    </form>
  );
}
