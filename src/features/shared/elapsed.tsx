'use client';
import { formatDateTime, formatDistance } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useNow } from '@/ui/use-now';

/** For how long something has been so: "for 3 h"; the time when it began on hover. */
export function Elapsed({ since }: { since: string }) {
  const t = useT();
  const now = useNow();
  if (now === null) return <time dateTime={since}>{t('since {time}', { time: formatDateTime(since, 'UTC') })}</time>;
  const time = formatDistance(Date.parse(since) - now);
  return (
    <time dateTime={since} title={t('Since {time}', { time: formatDateTime(since) })} className="tabular-nums">
      {time === null ? t('for a moment') : t('for {time}', { time })}
    </time>
  );
}
