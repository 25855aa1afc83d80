'use client';
import { RefreshCw } from 'lucide-react';
import { formatDateTime } from '@/lib/format';
import { Button } from '@/ui/button';
import { Menu } from '@/ui/menu';
import { type FlowView, REFRESHES } from './use-flow-view';

const OPTIONS = [
  { value: '', label: 'Only when asked' },
  { value: '10', label: 'Every 10 seconds' },
  { value: '60', label: 'Every minute' },
];

/** Brings what is shown up to now, once or again and again. */
export function RefreshControl({ view, now, refresh }: { view: FlowView; now: number; refresh: () => void }) {
  const every = view.filters.refresh;
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={<RefreshCw size={14} />}>
          <span>
            Refresh{every && <span className="text-muted">{every === '10' ? ' every 10 s' : ' every minute'}</span>}
          </span>
        </Button>
      }
      entries={[
        { id: 'now', label: 'Refresh now', icon: <RefreshCw />, onSelect: refresh },
        { kind: 'separator', id: 'by-itself' },
        {
          kind: 'choice',
          id: 'every',
          label: `By itself (as of ${formatDateTime(new Date(now).toISOString()).slice(11, 19)})`,
          value: every ?? '',
          options: OPTIONS,
          onValueChange: (value) => view.setFilter('refresh', REFRESHES.find((one) => one === value) ?? null),
        },
      ]}
    />
  );
}
