'use client';
import { ChevronLeft, ChevronRight, Clock, X, ZoomOut } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button, IconButton } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import type { Option } from '@/ui/option';
import {
  DEFAULT_SPAN,
  hasLater,
  resolveRange,
  shiftRange,
  spanMs,
  spanText,
  type TimeRange,
  timesText,
  zoomOut,
} from './time-range';

const loadDialog = () => import('./time-range-form').then((module) => module.TimeRangeDialog);
const TimeRangeDialog = loadOnOpening(loadDialog);

type Props = TimeRange & {
  onChange: (range: TimeRange) => void;
  /** For lists that show all times unless one is chosen; a span is then kept as the time that it began. */
  optional?: boolean;
  /** Spans to choose from, where they are not the usual ones. */
  spans?: readonly Option[];
};

/** The range of time that is shown: typed or chosen, moved to earlier and later, and widened. */
export function TimeRangeControl({ range, since, until, onChange, optional = false, spans }: Props) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const chosen = since !== null || until !== null;
  const text = chosen
    ? timesText(t, since, until)
    : optional
      ? t('Any time')
      : spanText(t, spanMs(range) === null ? DEFAULT_SPAN : (range ?? DEFAULT_SPAN));
  const times = () => resolveRange({ range, since, until }, Date.now());
  const moved = !optional || chosen;
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      {moved && (
        <IconButton
          label={t('Earlier')}
          icon={<ChevronLeft size={16} />}
          onClick={() => onChange(shiftRange(times(), -1, Date.now()))}
        />
      )}
      <Button
        icon={<Clock size={14} />}
        aria-label={t('Time: {text}', { text })}
        aria-haspopup="dialog"
        onPointerEnter={loadDialog}
        onFocus={loadDialog}
        onClick={() => setOpen(true)}
      >
        {optional && !chosen ? t('Time') : <span className="tabular-nums">{text}</span>}
      </Button>
      {moved && (
        <>
          <IconButton
            label={t('Later')}
            icon={<ChevronRight size={16} />}
            disabledReason={hasLater(times(), Date.now() - 1000) ? null : t('The time range already ends now')}
            onClick={() => onChange(shiftRange(times(), 1, Date.now()))}
          />
          <IconButton
            label={t('Zoom out time range')}
            icon={<ZoomOut size={15} />}
            onClick={() => onChange(zoomOut(times(), Date.now()))}
          />
        </>
      )}
      {optional && chosen && (
        <IconButton
          label={t('Remove filter {label}', { label: t('Time') })}
          icon={<X size={14} />}
          onClick={() => onChange({ range: null, since: null, until: null })}
        />
      )}
      <TimeRangeDialog
        open={open}
        onOpenChange={setOpen}
        shown={{ range, since, until }}
        optional={optional}
        spans={spans}
        onApply={(next) => {
          setOpen(false);
          onChange(next);
        }}
      />
    </span>
  );
}
