'use client';
import { Progress as Base } from '@base-ui/react/progress';
import clsx from 'clsx';
import { useT } from '@/lib/i18n/use-t';

type Props = {
  /** What advances: "Reading guests". */
  label: string;
  /** Steps done; null when nobody knows how far it is. */
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
  const known = done !== null && total !== null && total > 0;
  const figures = known ? t('{done, number} of {total, number}', { done, total }) : null;
  return (
    <Base.Root
      value={known ? Math.min(done, total) : null}
      max={known ? total : 100}
      aria-label={showLabel ? undefined : label}
      getAriaValueText={() => figures ?? t('In progress')}
      className="flex min-w-0 flex-col gap-1"
    >
      {showLabel && (
        <div className="flex items-baseline justify-between gap-3">
          <Base.Label className="min-w-0 truncate">{label}</Base.Label>
          {figures && <span className="text-sm text-muted tabular-nums">{figures}</span>}
        </div>
      )}
      <Base.Track className="h-1.5 overflow-hidden rounded-full bg-surface-3">
        <Base.Indicator
          className={clsx(
            'h-full rounded-full transition-[width] duration-300',
            FILLS[tone],
            !known && '!w-1/3 animate-indeterminate',
          )}
        />
      </Base.Track>
    </Base.Root>
  );
}
