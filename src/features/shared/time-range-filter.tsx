'use client';
import { useState } from 'react';
import { formatDateTime } from '@/lib/format';
import { msg, optionsIn, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Dialog } from '@/ui/dialog';
import { Facet, FilterChip } from '@/ui/facet';
import { CustomRange } from './custom-range';
import { presetRange, TIME_PRESETS, type TimeRange } from './time-range';

type Props = TimeRange & { onChange: (range: TimeRange) => void };

/** A filter by time: presets that count back from now, or two given times. */
export function TimeRangeFilter({ since, until, onChange }: Props) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const options = optionsIn(t, [...TIME_PRESETS, { value: 'custom', label: msg('Custom range…') }]);
  return (
    <>
      {since || until ? (
        <FilterChip
          label={t('Time')}
          value={rangeText(t, since, until)}
          onRemove={() => onChange({ since: null, until: null })}
        />
      ) : (
        <Facet
          label={t('Time')}
          single
          value={[]}
          options={options}
          onValueChange={([value]) => {
            if (value === 'custom') setOpen(true);
            else if (value) onChange(presetRange(value, Date.now()));
          }}
        />
      )}
      <Dialog open={open} onOpenChange={setOpen} title={t('Time')} size="sm">
        <CustomRange
          since={since}
          until={until}
          onApply={(range) => {
            setOpen(false);
            onChange(range);
          }}
        />
      </Dialog>
    </>
  );
}

/** Given times in words. */
export function rangeText(t: Translate, since: string | null, until: string | null): string {
  const short = (time: string) => formatDateTime(time).slice(0, 16);
  if (since && until) return t('{from} to {to}', { from: short(since), to: short(until) });
  if (since) return t('since {time}', { time: short(since) });
  return until ? t('until {time}', { time: short(until) }) : '';
}
