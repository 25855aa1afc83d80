'use client';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { formatDateTime, formatInOtherZone, formatRelative, formatShortDateTime, NO_VALUE } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTimeDisplay } from '@/lib/time/time-display';
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

/** A text that may be the address of a page elsewhere, such as a ticket. */
export function MaybeLink({ text }: { text: string }) {
  if (text === '') return <Missing />;
  if (!/^https?:\/\//i.test(text)) return text;
  return (
    <a className="link" href={text} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
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

/** The forms of a time that are not shown, once each: for its tooltip. */
export const otherForms = (shown: string, forms: readonly string[]): string =>
  [...new Set(forms)].filter((form) => form !== shown).join(' · ');

/**
 * When something happened, as distance from now or as date and time, as chosen; the other form on hover. `none` is the word for
 * a time that does not exist: "Never".
 */
export function RelativeTime({ at, none }: { at: string | null | undefined; none?: string }) {
  const t = useT();
  const now = useNow();
  const { style } = useTimeDisplay();
  if (!at) return none ? <span className="text-faint">{none}</span> : <Missing />;
  if (now === null) return <time dateTime={at}>{formatDateTime(at, 'UTC')}</time>;
  const distance = formatRelative(t, at, now);
  const shown = style === 'relative' ? distance : formatShortDateTime(at, now);
  return (
    <time
      dateTime={at}
      title={otherForms(shown, [distance, formatDateTime(at), formatInOtherZone(at)])}
      className="tabular-nums"
    >
      {shown}
    </time>
  );
}
