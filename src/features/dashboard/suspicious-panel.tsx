import { ShieldCheck } from 'lucide-react';
import { useMemo } from 'react';
import type { DashboardSecurity } from '@/domain/dashboard/dashboard';
import { SEVERITIES } from '@/domain/dashboard/sensitive-ports';
import { formatCount, formatDateTime } from '@/lib/format';
import { Badge } from '@/ui/badge';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { SEVERITY_WORDS } from './severity-words';
import { suspiciousColumns } from './suspicious-columns';
import type { DashboardView } from './use-dashboard-view';

/** A minute of difference is the time it took to ask. */
const CUT_MS = 60_000;

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
  const { suspicious_traffic: rows, suspicious_summary: summary, since, suspicious_since } = security;
  const columns = useMemo(() => suspiciousColumns(view), [view]);
  const cut = Date.parse(suspicious_since) - Date.parse(since) > CUT_MS;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {summary.total > 0 && (
        <ul aria-label="Suspicious traffic by severity" className="flex flex-wrap gap-1.5">
          {SEVERITIES.filter((severity) => summary[severity] > 0).map((severity) => (
            <li key={severity}>
              <Badge tone={SEVERITY_WORDS[severity].tone}>
                {formatCount(summary[severity])} {SEVERITY_WORDS[severity].word.toLowerCase()}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      <DataTable
        id="dashboard-suspicious"
        label="Suspicious traffic"
        noun={{ one: 'entry', many: 'entries' }}
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        total={summary.total}
        loading={false}
        refreshing={refreshing}
        error={null}
        height="auto"
        empty={
          <EmptyState icon={<ShieldCheck />} title="Nothing suspicious">
            Nobody outside the known subnets tried SSH, SMB, RDP, VNC, databases or Redis in this time, as far as agents
            saw.
          </EmptyState>
        }
      />
      {cut && (
        <p className="text-sm text-faint">Single flows are kept only from {formatDateTime(suspicious_since)} on.</p>
      )}
    </div>
  );
}
