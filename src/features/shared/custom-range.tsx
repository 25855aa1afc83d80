'use client';
import { useState } from 'react';
import { Button } from '@/ui/button';
import { fromLocalInput, type TimeRange, toLocalInput } from './time-range';

/** Two given times, each of which may be left out. */
export function CustomRange({ since, until, onApply }: TimeRange & { onApply: (range: TimeRange) => void }) {
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
