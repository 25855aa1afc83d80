'use client';
import { RefreshCw } from 'lucide-react';
import { formatDateTime } from '@/lib/format';
import { msg, translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Menu } from '@/ui/menu';
import { type FlowView, REFRESHES } from './use-flow-view';

const OPTIONS = [
  { value: '', label: msg('Off') },
  { value: '10', label: msg('Every 10 seconds') },
  { value: '60', label: msg('Every minute') },
];

/** Brings what is shown up to now, once or again and again. */
export function RefreshControl({ view, now, refresh }: { view: FlowView; now: number; refresh: () => void }) {
  const t = useT();
  const every = view.filters.refresh;
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={<RefreshCw size={14} />}>
          <span>
            {every === null
              ? t('Refresh')
              : t.rich(every === '10' ? 'Refresh <often>every 10 s</often>' : 'Refresh <often>every minute</often>', {
                  often: (inside) => <span className="text-muted">{inside}</span>,
                })}
          </span>
        </Button>
      }
      entries={[
        { id: 'now', label: t('Refresh now'), icon: <RefreshCw />, onSelect: refresh },
        { kind: 'separator', id: 'by-itself' },
        {
          kind: 'choice',
          id: 'every',
          label: t('Auto-refresh (last {time})', { time: formatDateTime(new Date(now).toISOString()).slice(11, 19) }),
          value: every ?? '',
          options: translateOptions(t, OPTIONS),
          onValueChange: (value) => view.setFilter('refresh', REFRESHES.find((one) => one === value) ?? null),
        },
      ]}
    />
  );
}
