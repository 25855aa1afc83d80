import { Activity } from 'lucide-react';
import type { DashboardTraffic } from '@/domain/dashboard/dashboard';
import { formatBytes } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { type DashboardView, flowsHref } from './dashboard-view';
import { describeEmptyTraffic, type Monitored } from './monitoring';

type Props = { traffic: DashboardTraffic; view: DashboardView; security: Monitored | undefined };

/** The workloads with the most traffic, as bars; each leads to its flows of the time. */
export function TalkersPanel({ traffic, view, security }: Props) {
  const t = useT();
  const { top_talkers: talkers, top_talkers_source } = traffic;
  const empty = describeEmptyTraffic(security);
  const most = Math.max(1, ...talkers.map(({ bytes_in, bytes_out }) => bytes_in + bytes_out));
  return (
    <div className="flex flex-1 flex-col rounded-lg border bg-surface">
      {talkers.length === 0 ? (
        <EmptyState icon={<Activity />} title={empty ? t(empty.title) : t('No workload traffic')}>
          {empty && t(empty.text, security?.monitoring)}
        </EmptyState>
      ) : (
        <ol aria-label={t('Top talkers')} className="divide-y">
          {talkers.map(({ workload, bytes_in, bytes_out }) => {
            const sum = bytes_in + bytes_out;
            return (
              <li key={workload.id}>
                <Link
                  href={flowsHref(view, { workload_id: workload.id })}
                  className="flex flex-col gap-1 px-3 py-1.5 -outline-offset-2 hover:bg-surface-2"
                  title={t('In {received}, out {sent}', {
                    received: formatBytes(bytes_in),
                    sent: formatBytes(bytes_out),
                  })}
                >
                  <span className="flex items-baseline gap-2">
                    <span className="min-w-0 flex-1 truncate">
                      {workload.name} <span className="text-faint">{workload.cluster_name}</span>
                    </span>
                    <span className="shrink-0 tabular-nums">{formatBytes(sum)}</span>
                  </span>
                  <span aria-hidden="true" className="flex h-1 gap-px">
                    <span className="rounded-full bg-info-mark" style={{ width: `${(100 * bytes_in) / most}%` }} />
                    <span className="rounded-full bg-off-mark" style={{ width: `${(100 * bytes_out) / most}%` }} />
                  </span>
                </Link>
              </li>
            );
          })}
        </ol>
      )}
      {talkers.length > 0 && (
        <p className="mt-auto border-t px-3 py-1.5 text-sm text-faint">
          {top_talkers_source === 'interface_counters'
            ? `${t('No flows in this time range; totals come from interface counters.')} `
            : ''}
          <span aria-hidden="true" className="mr-1 inline-block h-1.5 w-3 rounded-full bg-info-mark" />
          {t('in')} <span aria-hidden="true" className="mr-1 ml-2 inline-block h-1.5 w-3 rounded-full bg-off-mark" />
          {t('out')}
        </p>
      )}
    </div>
  );
}
