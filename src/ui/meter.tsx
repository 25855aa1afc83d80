'use client';
import clsx from 'clsx';
import { formatPercent } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';

type Props = {
  /** What is measured: "Addresses used". */
  label: string;
  /** A share of 1; null when it is not known. */
  share: number | null;
  /** From these shares on it is a warning, or critical. */
  warnAt?: number;
  dangerAt?: number;
  /** Instead of the percentage: "198 of 254". */
  text?: string;
};

/** How full something is: bar and figure. Not for progress of work. */
export function Meter({ label, share, warnAt = 2, dangerAt = 2, text }: Props) {
  const t = useT();
  if (share === null) {
    return (
      <span className="inline-flex w-full items-center gap-2 text-muted">
        <span
          aria-hidden="true"
          className="h-1.5 min-w-8 flex-1 rounded-full border border-dashed border-line-strong"
        />
        <span className="sr-only">{label}: </span>
        {t('Unknown')}
      </span>
    );
  }
  const fill = share >= dangerAt ? 'bg-danger-mark' : share >= warnAt ? 'bg-warn-mark' : 'bg-info-mark';
  const filled = Math.max(0, Math.min(1, share));
  const figure = text ?? formatPercent(share);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the look of a <meter> cannot be chosen.
    <div
      role="meter"
      aria-valuenow={filled}
      aria-valuemin={0}
      aria-valuemax={1}
      aria-label={label}
      aria-valuetext={figure}
      className="inline-flex w-full items-center gap-2"
    >
      <div className="h-1.5 min-w-8 flex-1 overflow-hidden rounded-full bg-surface-3">
        <div className={clsx('h-full', fill)} style={{ width: `${filled * 100}%` }} />
      </div>
      <span aria-hidden="true" className="shrink-0 tabular-nums">
        {figure}
      </span>
    </div>
  );
}
