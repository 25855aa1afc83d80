'use client';
import { ChevronDown, Clock } from 'lucide-react';
import { useState } from 'react';
import { optionsIn } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Menu } from '@/ui/menu';
import { CustomRange } from './custom-range';
import { rangeText } from './time-range-filter';
import { DEFAULT_RANGE, TRAFFIC_RANGES, type TrafficRange } from './traffic-range';

type Time = { range: TrafficRange | null; since: string | null; until: string | null };
type Props = Time & { onChange: (time: Time) => void };

/** The time that is looked at: a span that ends now (null: the usual one), or two given times. */
export function TrafficTimeControl({ range, since, until, onChange }: Props) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const fixed = since !== null || until !== null;
  const span = TRAFFIC_RANGES.find(({ value }) => value === (range ?? DEFAULT_RANGE)) ?? TRAFFIC_RANGES[1];
  const text = fixed ? rangeText(t, since, until) : t(span.label);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button icon={<Clock size={14} />} aria-label={t('Time: {text}', { text })}>
            {text}
            <ChevronDown size={14} className="-mr-1 text-faint" aria-hidden />
          </Button>
        }
        entries={[
          {
            kind: 'choice',
            id: 'spans',
            label: t('Up to now'),
            value: fixed ? '' : span.value,
            options: optionsIn(t, TRAFFIC_RANGES),
            onValueChange: (value) =>
              onChange({ range: value === DEFAULT_RANGE ? null : (value as TrafficRange), since: null, until: null }),
          },
          { kind: 'separator', id: 'fixed' },
          { id: 'custom', label: t('Custom range…'), onSelect: () => setOpen(true) },
        ]}
      />
      <Dialog open={open} onOpenChange={setOpen} title={t('Time')} size="sm">
        <CustomRange
          since={since}
          until={until}
          onApply={(given) => {
            setOpen(false);
            onChange({ ...given, range: null });
          }}
        />
      </Dialog>
    </>
  );
}
