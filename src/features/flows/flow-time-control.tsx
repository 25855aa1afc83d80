'use client';
import { ChevronDown, Clock } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Menu } from '@/ui/menu';
import { CustomRange } from '../shared/custom-range';
import { rangeText } from '../shared/time-range-filter';
import { DEFAULT_RANGE, FLOW_RANGES, type FlowRange } from './flow-range';
import type { FlowView } from './use-flow-view';

/** The time that is looked at: a span that ends now, or two given times. */
export function FlowTimeControl({ view }: { view: FlowView }) {
  const [open, setOpen] = useState(false);
  const { since, until, range } = view.filters;
  const fixed = since !== null || until !== null;
  const span = FLOW_RANGES.find(({ value }) => value === (range ?? DEFAULT_RANGE)) ?? FLOW_RANGES[1];
  const text = fixed ? rangeText(since, until) : span.label;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button icon={<Clock size={14} />} aria-label={`Time: ${text}`}>
            {text}
            <ChevronDown size={14} className="-mr-1 text-faint" aria-hidden />
          </Button>
        }
        entries={[
          {
            kind: 'choice',
            id: 'spans',
            label: 'Up to now',
            value: fixed ? '' : span.value,
            options: FLOW_RANGES,
            onValueChange: (value) =>
              view.setFilters({
                range: value === DEFAULT_RANGE ? null : (value as FlowRange),
                since: null,
                until: null,
                live: null,
              }),
          },
          { kind: 'separator', id: 'fixed' },
          { id: 'custom', label: 'From and to…', onSelect: () => setOpen(true) },
        ]}
      />
      <Dialog open={open} onOpenChange={setOpen} title="Time" size="sm">
        <CustomRange
          since={since}
          until={until}
          onApply={(given) => {
            setOpen(false);
            view.setFilters({ ...given, range: null, live: null, refresh: null });
          }}
        />
      </Dialog>
    </>
  );
}
