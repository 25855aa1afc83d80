import type { WorkloadCoverage } from '@/domain/coverage';
import { formatPercent } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { Meter } from '@/ui/meter';
import { AsOf, uncountedSince } from '../shared/agents/agent-state';
import { Elapsed } from '../shared/elapsed';
import { ClusterLink } from '../shared/entity-links';

const make = createColumnHelper<WorkloadCoverage>();

/** Columns of the list of coverage. */
export const workloadCoverageColumns = (t: Translate) => [
  make.text('workload_name', t('Workload'), (row) => row.workload_name, {
    sortable: true,
    width: 180,
    grow: true,
    render: (row) => (
      <Link className="link" href={paths.workload({ workloadId: row.workload_id, tab: 'traffic' })}>
        {row.workload_name}
      </Link>
    ),
  }),
  make.text('cluster_name', t('Cluster'), (row) => row.cluster_name, {
    width: 118,
    render: (row) => <ClusterLink id={row.cluster_id} name={row.cluster_name} />,
  }),
  make.custom(
    'covered_share',
    t('Covered'),
    (row) =>
      row.looked_since === null || row.flows > 0 ? (
        <AsOf at={uncountedSince(row)}>
          <Meter label={t('Covered share of {name}', { name: row.workload_name })} share={row.covered_share} />
        </AsOf>
      ) : (
        <span className="text-muted">{t('No traffic')}</span>
      ),
    { sortable: true, width: 104, csv: (row) => row.covered_share },
  ),
  make.number('flows', t('Conversations'), (row) => row.flows, { sortable: true }),
  make.number('by_policy', t('By policies'), (row) => row.by_policy),
  make.number('by_other_rule', t('By other rules'), (row) => row.by_other_rule),
  make.number('by_default', t('By default policy'), (row) => row.by_default),
  make.number('by_audit', t('By audit mode only'), (row) => row.by_audit, { hidden: true }),
  make.number('observed', t('Not filtered or unknown'), (row) => row.observed),
  make.number('conflicts', t('Log mismatches'), (row) => row.conflicts, { hidden: true }),
  make.custom('evidence_score', t('Evidence'), (row) => formatPercent(row.evidence_score), {
    width: 100,
    csv: (row) => row.evidence_score,
  }),
  make.time('last_flow_at', t('Last seen'), (row) => row.last_flow_at, { hidden: true }),
  make.custom(
    'looked_since',
    t('Monitoring time'),
    (row) =>
      row.looked_since ? (
        <Elapsed since={row.looked_since} />
      ) : (
        <span className="text-muted">{t('Not monitored')}</span>
      ),
    { width: 120, hidden: true, csv: (row) => row.looked_since },
  ),
];
