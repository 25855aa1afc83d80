'use client';
import { formatDateTime, formatDistance, formatInOtherZone, formatShortDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTimeDisplay } from '@/lib/time/time-display';
import { useNow } from '@/ui/use-now';
import { otherForms } from '@/ui/values';

/** For how long something has been so: "for 3 h", or since when; the other on hover. */
export function Elapsed({ since }: { since: string }) {
  const t = useT();
  const now = useNow();
  const { style } = useTimeDisplay();
  if (now === null) return <time dateTime={since}>{t('since {time}', { time: formatDateTime(since, 'UTC') })}</time>;
  const time = formatDistance(Date.parse(since) - now);
  const length = time === null ? t('for a moment') : t('for {time}', { time });
  const shown = style === 'relative' ? length : t('since {time}', { time: formatShortDateTime(since, now) });
  return (
    <time
      dateTime={since}
      title={otherForms(shown, [length, t('Since {time}', { time: formatDateTime(since) }), formatInOtherZone(since)])}
      className="tabular-nums"
    >
      {shown}
    </time>
  );
}
