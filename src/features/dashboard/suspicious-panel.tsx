import { ShieldCheck, ShieldQuestion } from 'lucide-react';
import { useMemo } from 'react';
import type { DashboardSecurity } from '@/domain/dashboard/dashboard';
import { SEVERITIES } from '@/domain/dashboard/sensitive-ports';
import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { useDraftMenu } from '../shared/policy-draft/draft-actions';
import { SEVERITY_COUNTS, SEVERITY_LABELS } from './dashboard-labels';
import type { DashboardView } from './dashboard-view';
import { CUT_MS, describeEmptySuspicious } from './monitoring';
import { suspiciousColumns } from './suspicious-columns';

/** Who outside the known subnets reached, or tried to reach, ports that should hardly ever be reached; the worst first. */
export function SuspiciousPanel({
  security,
  view,
  refreshing,
}: {
  security: DashboardSecurity;
  view: DashboardView;
  refreshing: boolean;
}) {
  const t = useT();
  const { suspicious_traffic: rows, suspicious_summary: summary, since, suspicious_since } = security;
  const columns = useMemo(() => suspiciousColumns(t, view), [t, view]);
  const draftMenu = useDraftMenu(
    (row: SuspiciousTraffic) => ({
      source: { address: row.source_ip },
      destination: { workload_id: row.destination_workload_id, address: row.destination_ip },
      protocol: row.protocol,
      port: row.port,
      action: row.action,
    }),
    (row) => `${row.source_ip} → ${row.destination_ip}, ${row.protocol}/${row.port}`,
  );
  const cut = Date.parse(suspicious_since) - Date.parse(since) > CUT_MS;
  const empty = describeEmptySuspicious(security);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {summary.total > 0 && (
        <ul aria-label={t('Suspicious traffic by severity')} className="flex flex-wrap gap-1.5">
          {SEVERITIES.filter((severity) => summary[severity] > 0).map((severity) => (
            <li key={severity}>
              <Badge tone={SEVERITY_LABELS[severity].tone}>
                {t(SEVERITY_COUNTS[severity], { n: summary[severity] })}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      <DataTable
        id="dashboard-suspicious"
        label={t('Suspicious traffic')}
        noun={{ one: t('entry'), many: t('entries') }}
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        total={summary.total}
        loading={false}
        refreshing={refreshing}
        error={null}
        {...draftMenu}
        height="auto"
        empty={
          <EmptyState
            icon={empty.good ? <ShieldCheck className="text-ok" /> : <ShieldQuestion />}
            title={t(empty.title)}
          >
            {t(empty.text, security.monitoring)}
          </EmptyState>
        }
      />
      {cut && (
        <p className="text-sm text-faint">
          {t('Individual flows are available only from {time} on.', { time: formatDateTime(suspicious_since) })}
        </p>
      )}
    </div>
  );
}
