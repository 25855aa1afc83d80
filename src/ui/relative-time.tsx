'use client';
import { formatDateTime, formatRelative } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Missing } from './missing';
import { useNow } from './use-now';

/**
 * How long ago something happened; the absolute time on hover. `none` is the word for a time that does not exist: "Never".
 */
export function RelativeTime({ at, none }: { at: string | null | undefined; none?: string }) {
  const t = useT();
  const now = useNow();
  if (!at) return none ? <span className="text-faint">{none}</span> : <Missing />;
  return (
    <time dateTime={at} title={now === null ? undefined : formatDateTime(at)} className="tabular-nums">
      {now === null ? formatDateTime(at, 'UTC') : formatRelative(t, at, now)}
    </time>
  );
}
