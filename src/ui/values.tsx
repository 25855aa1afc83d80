'use client';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { formatDateTime, formatRelative, NO_VALUE } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useNow } from './use-now';

/** In place of a value that does not exist. For a value that could not be read use a badge or status `unknown`. */
export function Missing({ label }: { label?: string }) {
  const t = useT();
  return (
    <span className="text-faint">
      <span aria-hidden>{NO_VALUE}</span>
      <span className="sr-only">{label ?? t('None')}</span>
    </span>
  );
}

/** An address, identifier or figure that is compared by eye: monospace, zero with a slash. `wrap` for long ones outside tables. */
export function Mono({
  children,
  wrap = false,
  className,
}: {
  children: ReactNode;
  wrap?: boolean;
  className?: string;
}) {
  return <span className={clsx('mono', wrap && '[overflow-wrap:anywhere]', className)}>{children}</span>;
}

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
