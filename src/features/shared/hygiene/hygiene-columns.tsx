import type { HygieneFinding } from '@/domain/hygiene/finding';
import type { Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { Status } from '@/ui/status';
import { Missing } from '@/ui/values';
import { formatRule, HARM_STATES, KIND_LABELS } from './hygiene-labels';

const make = createColumnHelper<HygieneFinding>();

export const hygieneColumns = (t: Translate) => [
  make.custom(
    'harm',
    t('Harm'),
    ({ harm }) => <Status tone={HARM_STATES[harm].tone}>{t(HARM_STATES[harm].word)}</Status>,
    { sortable: true, width: 100, csv: ({ harm }) => t(HARM_STATES[harm].word) },
  ),
  make.text('kind', t('Finding'), ({ kind }) => t(KIND_LABELS[kind]), { sortable: true, width: 150 }),
  make.mono('subject', t('Rule'), ({ subject }) => subject, { grow: true, width: 230 }),
  make.text('policy_name', t('Policy'), ({ policy_name }) => policy_name, {
    sortable: true,
    width: 160,
    render: ({ policy_id, policy_name }) =>
      policy_id === null ? (
        <span className="text-muted">{t('Unmanaged')}</span>
      ) : (
        <Link className="link" href={paths.policy({ policyId: policy_id, tab: 'rules' })}>
          {policy_name}
        </Link>
      ),
  }),
  make.text('rule_position', t('Position'), (finding) => formatRule(t, finding), { width: 90 }),
  make.text(
    'workload_name',
    t('Workload'),
    ({ workload_name, vmid }) => workload_name && `${workload_name} (${vmid})`,
    {
      sortable: true,
      width: 150,
      render: ({ workload_id, workload_name, vmid }) =>
        workload_id === null ? (
          <Missing />
        ) : (
          <Link className="link" href={paths.workload({ workloadId: workload_id })}>
            {workload_name} ({vmid})
          </Link>
        ),
    },
  ),
  make.text(
    'workloads_affected',
    t('Workloads'),
    ({ workloads_affected, workloads_total }) =>
      workloads_total === 0 ? null : t('{n} of {total}', { n: workloads_affected, total: workloads_total }),
    { sortable: true, width: 110 },
  ),
  make.text('cluster_name', t('Cluster'), ({ cluster_name }) => cluster_name, { hidden: true, width: 120 }),
  make.time('first_seen_at', t('First seen'), ({ first_seen_at }) => first_seen_at, { sortable: true }),
  make.time('last_seen_at', t('Last seen'), ({ last_seen_at }) => last_seen_at, { hidden: true }),
];
