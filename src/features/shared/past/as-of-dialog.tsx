'use client';
import { useId, useState } from 'react';
import { MINUTE_MS } from '@/domain/durations';
import { useT } from '@/lib/i18n/use-t';
import { useTimeDisplay } from '@/lib/time/time-display';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { DateTimeInput } from '@/ui/form/date-time-field';

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
  const id = useId();
  const [now] = useState(() => Date.now());
  const [time, setTime] = useState<string | null>(() => at ?? new Date(now - (now % MINUTE_MS)).toISOString());
  const reason = time === null ? t('Enter a time') : Date.parse(time) > now ? t('Enter a time in the past') : null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (time !== null && !reason) onChoose(time);
      }}
    >
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="font-medium">
          {t('Time')}
        </label>
        <DateTimeInput id={id} value={time} onChange={setTime} />
      </div>
      <p className="text-sm text-faint">
        {zone === 'utc' ? t('Times are in UTC.') : t('Times are in the time zone of this browser.')}
      </p>
      <Button type="submit" variant="primary" disabledReason={reason}>
        {t('Show this time')}
      </Button>
    </form>
  );
}
