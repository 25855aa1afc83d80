'use client';
import type { AgentDetail } from '@/domain/agent';
import { formatCount, formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { TimeChart } from '@/ui/chart/time-chart';
import { Properties } from '@/ui/properties';
import { useNow } from '@/ui/use-now';
import { lastDay } from './heartbeat-data';

const HOUR_SECONDS = 3600;

/** The heartbeats of the last day: how many came in each hour, and what became of their flows. */
export function Heartbeats({ agent }: { agent: AgentDetail }) {
  const t = useT();
  const now = useNow();
  const { last_day, rejections } = agent;
  const day = now === null ? null : lastDay(agent.hours, now);
  return (
    <div className="flex flex-col gap-4 rounded-lg border bg-surface p-4">
      {day && (
        <TimeChart
          label={t('Heartbeats per hour')}
          buckets={{ starts: day.starts, seconds: HOUR_SECONDS }}
          series={[{ id: 'heartbeats', label: t('Heartbeats'), tone: 'info', values: day.heartbeats }]}
          format={formatCount}
          height={110}
        />
      )}
      <Properties
        columns={2}
        items={[
          { label: t('Heartbeats'), value: formatCount(last_day.heartbeats) },
          { label: t('New flows'), value: formatCount(last_day.accepted) },
          { label: t('Rejected flows'), value: formatCount(last_day.rejected) },
          { label: t('Updated flows'), value: formatCount(last_day.updated) },
        ]}
      />
      {rejections.length > 0 && (
        <div className="flex flex-col gap-1">
          <h3 className="font-medium">{t('Last rejections')}</h3>
          <ul className="flex flex-col gap-0.5 text-muted">
            {rejections.map(({ received_at, index, reason }) => (
              <li key={`${received_at} ${index}`} className="[overflow-wrap:anywhere]">
                {t.rich('{time}, flow {number}: {reason}', {
                  time: <span className="tabular-nums">{formatDateTime(received_at)}</span>,
                  number: formatCount(index + 1),
                  reason,
                })}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
