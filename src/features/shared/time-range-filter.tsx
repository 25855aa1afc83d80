'use client';
import { useState } from 'react';
import { formatDateTime } from '@/lib/format';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Facet } from '@/ui/facet';
import { FilterChip } from './filter-chip';
import { fromLocalInput, presetRange, TIME_PRESETS, type TimeRange, toLocalInput } from './time-range';

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

function CustomRange({ since, until, onApply }: TimeRange & { onApply: (range: TimeRange) => void }) {
  const [from, setFrom] = useState(() => toLocalInput(since));
  const [to, setTo] = useState(() => toLocalInput(until));
  const range = { since: fromLocalInput(from), until: fromLocalInput(to) };
  const reversed = range.since !== null && range.until !== null && range.since >= range.until;
  const reason = reversed ? 'The start must lie before the end' : !range.since && !range.until ? 'Enter a time' : null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) onApply(range);
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="font-medium">From</span>
        <input
          type="datetime-local"
          className="control px-2.5"
          value={from}
          onChange={(e) => setFrom(e.target.value)}
        />
      </label>
      <label className="flex flex-col gap-1">
        <span className="font-medium">To</span>
        <input type="datetime-local" className="control px-2.5" value={to} onChange={(e) => setTo(e.target.value)} />
      </label>
      <p className="text-sm text-faint">In the time zone of this browser.</p>
      <div className="flex justify-end">
        <Button type="submit" variant="primary" disabledReason={reason}>
          Show this time
        </Button>
      </div>
    </form>
  );
}

function rangeText(since: string | null, until: string | null): string {
  const short = (time: string) => formatDateTime(time).slice(0, 16);
  if (since && until) return `${short(since)} to ${short(until)}`;
  return since ? `since ${short(since)}` : until ? `until ${short(until)}` : '';
}
