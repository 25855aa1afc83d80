'use client';
import { formatDateTime, formatDistance } from '@/lib/format';
import { useNow } from '@/ui/use-now';

/** For how long something has been so: "for 3 h"; the time when it began on hover. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow();
  if (now === null) return <time dateTime={since}>since {formatDateTime(since, 'UTC')}</time>;
  const text = formatDistance(Date.parse(since) - now);
  return (
    <time dateTime={since} title={`Since ${formatDateTime(since)}`} className="tabular-nums">
      for {text ?? 'a moment'}
    </time>
  );
}
