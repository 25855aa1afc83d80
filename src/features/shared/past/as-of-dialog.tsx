'use client';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { fromInput, toInput } from '@/lib/time/calendar';
import { useTimeDisplay } from '@/lib/time/time-display';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  at: string | null;
  onChoose: (at: string) => void;
};

/** Asks for a time in the past. */
export function AsOfDialog({ open, onOpenChange, at, onChoose }: Props) {
  const t = useT();
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('Show an earlier time')} size="sm">
      <AsOfForm at={at} onChoose={onChoose} />
    </Dialog>
  );
}

function AsOfForm({ at, onChoose }: Pick<Props, 'at' | 'onChoose'>) {
  const t = useT();
  const { zone } = useTimeDisplay();
  const [now] = useState(() => Date.now());
  const [text, setText] = useState(() => toInput(at === null ? now : Date.parse(at), zone));
  const time = fromInput(text, zone);
  const reason = time === null ? t('Enter a time') : time > now ? t('Enter a time in the past') : null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (time !== null && !reason) onChoose(new Date(time).toISOString());
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="font-medium">{t('Time')}</span>
        <input
          type="datetime-local"
          className="control px-2.5"
          value={text}
          max={toInput(now, zone)}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <p className="text-sm text-faint">
        {zone === 'utc' ? t('Times are in UTC.') : t('Times are in the time zone of this browser.')}
      </p>
      <Button type="submit" variant="primary" disabledReason={reason}>
        {t('Show this time')}
      </Button>
    </form>
  );
}
