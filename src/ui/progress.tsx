'use client';
import clsx from 'clsx';
import { useId } from 'react';
import { useT } from '@/lib/i18n/use-t';

type Props = {
  /** What advances: "Reading guests". */
  label: string;
  /** Steps done; null when the progress is unknown. */
  done: number | null;
  total: number | null;
  tone?: 'info' | 'ok' | 'danger';
  /** Label and figures above the bar; otherwise the label is for assistive technology only. */
  showLabel?: boolean;
};

const FILLS = { info: 'bg-info-mark', ok: 'bg-ok-mark', danger: 'bg-danger-mark' };

/** How far something is. Without a total the bar moves instead of growing. */
export function Progress({ label, done, total, tone = 'info', showLabel = true }: Props) {
  const t = useT();
  const labelId = useId();
  const known = done !== null && total !== null && total > 0;
  const figures = known ? t('{done, number} of {total, number}', { done, total }) : null;
  return (
    <div
      role="progressbar"
      aria-valuenow={known ? Math.min(done, total) : undefined}
      aria-valuemin={0}
      aria-valuemax={known ? total : 100}
      aria-label={showLabel ? undefined : label}
      aria-labelledby={showLabel ? labelId : undefined}
      aria-valuetext={figures ?? t('In progress')}
      className="flex min-w-0 flex-col gap-1"
    >
      {showLabel && (
        <div className="flex items-baseline justify-between gap-3">
          <span id={labelId} className="min-w-0 truncate">
            {label}
          </span>
          {figures && <span className="text-sm text-muted tabular-nums">{figures}</span>}
        </div>
      )}
      <div className="h-1.5 overflow-hidden rounded-full bg-surface-3">
        <div
          style={known ? { width: `${(Math.min(done, total) / total) * 100}%` } : undefined}
          className={clsx(
            'h-full rounded-full transition-[width] duration-300',
            FILLS[tone],
            !known && '!w-1/3 animate-indeterminate',
          )}
        />
      </div>
    </div>
  );
}
