import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { Mono } from '@/ui/values';
import { WorkloadLink } from '../shared/entity-links';
import { FlowVerdictCell } from '../shared/flow-verdict-cell';
import { rulesText } from '../shared/verdict-labels';
import { SERVICE_LABELS, SEVERITY_LABELS } from './dashboard-labels';
import { type DashboardView, flowsHref } from './dashboard-view';

const make = createColumnHelper<SuspiciousTraffic>();

/** Of a time, so that rows lead to the flows of that time. */
export const suspiciousColumns = (t: Translate, view: DashboardView) => [
  make.custom(
    'severity',
    t('Severity'),
    ({ severity }) => {
      const { tone, word, meaning } = SEVERITY_LABELS[severity];
      return (
        <span title={t(meaning)}>
          <Badge tone={tone}>{t(word)}</Badge>
        </span>
      );
    },
    { width: 90, csv: ({ severity }) => severity },
  ),
  make.custom(
    'source_ip',
    t('Source'),
    (row) => (
      <Link
        className="link mono"
        title={t('Show flows of {label}', { label: row.source_label })}
        href={flowsHref(view, {
          source: row.source_ip,
          destination: row.destination_ip,
          port: String(row.port),
          protocol: row.protocol,
          cluster_id: row.cluster_id,
        })}
      >
        {row.source_ip}
      </Link>
    ),
    { width: 124, csv: (row) => row.source_ip },
  ),
  make.custom(
    'destination_ip',
    t('Destination'),
    (row) => (
      <span className="flex min-w-0 items-baseline gap-1.5" title={row.destination_label}>
        {row.destination_workload_id && row.destination_workload_name && (
          <span className="min-w-0 shrink truncate">
            <WorkloadLink id={row.destination_workload_id} name={row.destination_workload_name} />
          </span>
        )}
        <Mono className="shrink-0">{row.destination_ip}</Mono>
      </span>
    ),
    { width: 150, grow: true, csv: (row) => row.destination_workload_name ?? row.destination_ip },
  ),
  make.custom(
    'port',
    t('Service'),
    (row) => (
      <>
        {t(SERVICE_LABELS[row.service])} <span className="text-muted tabular-nums">{row.port}</span>
      </>
    ),
    { width: 104, csv: (row) => `${row.protocol}/${row.port}` },
  ),
  make.custom('decision', t('Action'), (row) => <FlowVerdictCell verdict={row} />, {
    width: 150,
    csv: ({ action }) => action,
  }),
  make.text('rules_say', t('Rules say'), (row) => rulesText(t, row.rules_say), { hidden: true, width: 200 }),
  make.number('flows', t('Flows'), (row) => row.flows, { hidden: true }),
  make.number('bytes', t('Bytes'), (row) => row.bytes, { format: formatBytes, hidden: true }),
  make.number('packets', t('Packets'), (row) => row.packets, { hidden: true }),
  make.time('last_seen_at', t('Last seen'), (row) => row.last_seen_at),
  make.time('first_seen_at', t('First seen'), (row) => row.first_seen_at, { hidden: true }),
  make.text('cluster_name', t('Cluster'), (row) => row.cluster_name, { width: 130, hidden: true }),
];
