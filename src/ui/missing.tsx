'use client';
import { NO_VALUE } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';

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
