import type { Drift } from '@/domain/change/drift';
import type { Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { Status } from '@/ui/status';
import { DRIFT_KIND_LABELS } from '../shared/changes/change-labels';
import { formatSubject, STATUS_STATES } from './drift-labels';

const make = createColumnHelper<Drift>();

export const driftColumns = (t: Translate) => [
  make.text('kind', t('Difference'), (drift) => t(DRIFT_KIND_LABELS[drift.kind]), { sortable: true, width: 224 }),
  make.text('subject', t('Subject'), (drift) => formatSubject(t, drift.subject), { width: 140 }),
  make.text('policy_name', t('Policy'), (drift) => drift.policy_name, {
    sortable: true,
    grow: true,
    width: 180,
    render: (drift) => (
      <Link className="link" href={paths.policy({ policyId: drift.policy_id })}>
        {drift.policy_name}
      </Link>
    ),
  }),
  make.text('workload_name', t('Workload'), (drift) => `${drift.workload_name} (${drift.vmid})`, {
    sortable: true,
    width: 180,
    render: (drift) => (
      <Link className="link" href={paths.workload({ workloadId: drift.workload_id })}>
        {drift.workload_name} ({drift.vmid})
      </Link>
    ),
  }),
  make.custom(
    'status',
    t('Status'),
    (drift) => <Status tone={STATUS_STATES[drift.status].tone}>{t(STATUS_STATES[drift.status].word)}</Status>,
    { width: 120, csv: (drift) => t(STATUS_STATES[drift.status].word) },
  ),
  make.time('first_seen_at', t('First seen'), (drift) => drift.first_seen_at, { sortable: true }),
  make.mono('changed_by', t('Changed by'), (drift) => drift.changed_by, { hidden: true, width: 160 }),
  make.text('cluster_name', t('Cluster'), (drift) => drift.cluster_name, { hidden: true, width: 120 }),
  make.mono('last_applied', t('Last applied'), (drift) => drift.last_applied, { hidden: true, width: 260 }),
  make.mono('live', t('Live'), (drift) => drift.live, { hidden: true, width: 260 }),
  make.time('last_seen_at', t('Last seen'), (drift) => drift.last_seen_at, { hidden: true }),
  make.time('accepted_until', t('Accepted until'), (drift) => drift.accepted_until, { hidden: true }),
  make.text('accepted_reason', t('Reason'), (drift) => drift.accepted_reason, { hidden: true, width: 200 }),
];
