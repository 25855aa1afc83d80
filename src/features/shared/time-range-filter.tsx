'use client';
import { useState } from 'react';
import { formatDateTime } from '@/lib/format';
import { Dialog } from '@/ui/dialog';
import { Facet } from '@/ui/facet';
import { CustomRange } from './custom-range';
import { FilterChip } from './filter-chip';
import { presetRange, TIME_PRESETS, type TimeRange } from './time-range';

type Props = TimeRange & { onChange: (range: TimeRange) => void };

/** A filter by time: presets that count back from now, or two given times. */
export function TimeRangeFilter({ since, until, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const options = [...TIME_PRESETS, { value: 'custom', label: 'From and to…' }];
  return (
    <>
      {since || until ? (
        <FilterChip
          label="Time"
          value={rangeText(since, until)}
          onRemove={() => onChange({ since: null, until: null })}
        />
      ) : (
        <Facet
          label="Time"
          single
          value={[]}
          options={options}
          onValueChange={([value]) => {
            if (value === 'custom') setOpen(true);
            else if (value) onChange(presetRange(value, Date.now()));
          }}
        />
      )}
      <Dialog open={open} onOpenChange={setOpen} title="Time" size="sm">
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
export function rangeText(since: string | null, until: string | null): string {
  const short = (time: string) => formatDateTime(time).slice(0, 16);
  if (since && until) return `${short(since)} to ${short(until)}`;
  return since ? `since ${short(since)}` : until ? `until ${short(until)}` : '';
}
