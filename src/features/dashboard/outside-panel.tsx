import { Globe } from 'lucide-react';
import type { DashboardTraffic } from '@/domain/dashboard/dashboard';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { formatBytes, formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { StatusDot } from '@/ui/status';
import { KeyRows } from '@/ui/table/key-rows';
import { RelativeTime } from '@/ui/values';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import { WorkloadLink } from '../shared/entity-links';
import { DraftMenu } from '../shared/policy-draft/draft-actions';
import { rulesText } from '../shared/verdict-labels';
import { type DashboardView, flowsHref } from './dashboard-view';
import { describeEmptyTraffic, type Monitored } from './monitoring';

type Props = { traffic: DashboardTraffic; view: DashboardView; security: Monitored | undefined };

/** Networks outside that connected to workloads, with service and outcome; what passed comes first. */
export function OutsidePanel({ traffic, view, security }: Props) {
  const t = useT();
  const { items, total, complete, verdicts } = traffic.from_outside;
  const empty = describeEmptyTraffic(security);
  if (items.length === 0) {
    const unknown = empty && security?.monitoring.watched !== security?.monitoring.running;
    return (
      <div className="flex flex-1 flex-col rounded-lg border bg-surface">
        <EmptyState icon={<Globe />} title={unknown && empty ? t(empty.title) : t('No connections from outside')}>
          {empty && t(empty.text, security?.monitoring)}
        </EmptyState>
      </div>
    );
  }
  const head = 'px-3 py-1.5 text-left font-medium max-sm:px-2';
  const cell = 'border-t px-3 py-1.5 max-sm:px-2';
  return (
    <div className="flex min-w-0 flex-1 flex-col overflow-hidden rounded-lg border bg-surface">
      <ul aria-label={t('Connections from outside by outcome')} className="flex flex-wrap gap-x-4 gap-y-1 px-3 py-2">
        {EDGE_VERDICTS.filter((verdict) => verdicts[verdict] > 0).map((verdict) => (
          <li key={verdict} className="inline-flex items-center gap-1.5">
            <StatusDot tone={EDGE_VERDICT_STYLES[verdict].tone} />
            <span className="font-semibold tabular-nums">{formatCount(verdicts[verdict])}</span>
            <span className="text-muted">{t(EDGE_VERDICT_STYLES[verdict].word)}</span>
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key. */}
      <section aria-label={t('Connections from outside')} tabIndex={0} className="overflow-x-auto -outline-offset-2">
        <table className="w-full border-separate border-spacing-0">
          <thead className="text-sm text-muted">
            <tr>
              <th scope="col" className={`border-t ${head}`}>
                {t('Source')}
              </th>
              <th scope="col" className={`border-t ${head}`}>
                {t('Workload')}
              </th>
              <th scope="col" className={`border-t ${head} max-sm:hidden`}>
                {t('Service')}
              </th>
              <th scope="col" className={`border-t ${head}`}>
                {t('Outcome')}
              </th>
              <th scope="col" className={`border-t ${head} !text-right max-sm:hidden`}>
                {t('Bytes')}
              </th>
              <th scope="col" className={`border-t ${head} max-sm:hidden`}>
                {t('Last seen')}
              </th>
              <th scope="col" className="border-t">
                <span className="sr-only">{t('Actions')}</span>
              </th>
            </tr>
          </thead>
          <KeyRows rows={items} rowId={({ id }) => id} className="hover:bg-surface-2">
            {(row) => {
              const { tone, word } = EDGE_VERDICT_STYLES[row.verdict];
              const service = row.port === null ? row.protocol : `${row.protocol}/${row.port}`;
              return (
                <>
                  <th scope="row" className={`${cell} text-left font-normal whitespace-nowrap`}>
                    <Link
                      className="link mono"
                      href={flowsHref(view, {
                        source: row.source_prefix,
                        destination_workload_id: row.destination_workload_id,
                        protocol: row.protocol,
                        ...(row.port !== null && { port: String(row.port) }),
                      })}
                    >
                      {row.source_prefix}
                    </Link>
                  </th>
                  <td className={`${cell} max-w-48 truncate`} title={row.destination_workload_name}>
                    <WorkloadLink id={row.destination_workload_id} name={row.destination_workload_name} />
                    <span className="mono block text-sm text-muted sm:hidden">{service}</span>
                  </td>
                  <td className={`${cell} mono whitespace-nowrap max-sm:hidden`}>{service}</td>
                  <td className={`${cell} whitespace-nowrap`} title={rulesText(t, row.rules_say)}>
                    <Badge tone={tone}>{t(word)}</Badge>
                  </td>
                  <td className={`${cell} text-right whitespace-nowrap tabular-nums max-sm:hidden`}>
                    {formatBytes(row.bytes)}
                  </td>
                  <td className={`${cell} text-muted whitespace-nowrap max-sm:hidden`}>
                    <RelativeTime at={row.last_seen_at} />
                  </td>
                  <td className="border-t pr-1 text-right">
                    <DraftMenu
                      seed={{
                        source: { address: row.source_prefix },
                        destination: { workload_id: row.destination_workload_id },
                        protocol: row.protocol,
                        port: row.port,
                        action: row.action,
                      }}
                      name={`${row.source_prefix} → ${row.destination_workload_name}, ${service}`}
                    />
                  </td>
                </>
              );
            }}
          </KeyRows>
        </table>
      </section>
      {(total > items.length || !complete) && (
        <p className="mt-auto border-t px-3 py-1.5 text-sm text-faint">
          {complete
            ? t('{shown, number} of {total, number} combinations of network, workload and service.', {
                shown: items.length,
                total,
              })
            : t('{shown, number} of more than {total, number} combinations of network, workload and service.', {
                shown: items.length,
                total,
              })}
        </p>
      )}
    </div>
  );
}
