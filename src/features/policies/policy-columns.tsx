import type { PolicyListItem } from '@/domain/policies';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { MaybeLink, Missing, RelativeTime } from '@/ui/values';
import { STATUS_LABELS } from '../shared/deployment-labels';
import { DEPLOYMENT_RUN_LABELS } from '../shared/deployment-run-labels';
import { DeploymentState } from '../shared/deployment-state';
import { MODE_LABELS, PolicyMode } from '../shared/enforcement-mode';
import { PolicyLink } from '../shared/entity-links';
import { useEndpointNames } from '../shared/policy-endpoints/use-endpoint-names';
import { TIER_LABELS } from '../shared/tier-labels';
import { allReasons, getDisplayStatus, guestsText } from './policy-labels';

const make = createColumnHelper<PolicyListItem>();

export const policyColumns = (t: Translate) => [
  make.text('name', t('Name'), (policy) => policy.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (policy) => <PolicyLink id={policy.id} name={policy.name} />,
  }),
  make.custom(
    'deployment_status',
    t('Status'),
    (policy) => (
      <DeploymentState
        status={policy.deployment_status}
        reasons={allReasons(policy)}
        shown={getDisplayStatus(policy)}
        working={policy.last_deployment?.status === 'running' || policy.last_deployment?.status === 'queued'}
      />
    ),
    { width: 136, csv: (policy) => t(STATUS_LABELS[getDisplayStatus(policy)].word) },
  ),
  make.custom(
    'mode',
    t('Mode'),
    (policy) => <PolicyMode mode={policy.definition.enforcement_mode} enabled={policy.enabled} />,
    {
      width: 112,
      csv: (policy) => (policy.enabled ? t(MODE_LABELS[policy.definition.enforcement_mode].label) : t('Disabled')),
    },
  ),
  make.text('sources', t('From'), (policy) => policy.definition.sources.join(', '), {
    width: 136,
    render: (policy) => <Endpoints list={policy.definition.sources} />,
  }),
  make.text('targets', t('To'), (policy) => policy.definition.targets.join(', '), {
    width: 136,
    render: (policy) => <Endpoints list={policy.definition.targets} />,
  }),
  make.number('rules_total', t('Rules'), (policy) => policy.rules_total),
  make.text('guests', t('Workloads'), (policy) => guestsText(t, policy.deployments), { width: 112 }),
  make.number('version', t('Version'), (policy) => policy.version, { sortable: true, hidden: true }),
  make.custom(
    'last_deployment',
    t('Last apply'),
    ({ last_deployment: last }) =>
      last ? (
        <span className="inline-flex min-w-0 gap-1 truncate">
          <RelativeTime at={last.finished_at ?? last.created_at} />
          {last.status !== 'ok' && <span className="text-muted">{t(DEPLOYMENT_RUN_LABELS[last.status].word)}</span>}
        </span>
      ) : (
        <Missing label={t('Never')} />
      ),
    { width: 112, csv: (policy) => policy.last_deployment?.created_at ?? null },
  ),
  make.text('tier', t('Evaluation'), (policy) => t(TIER_LABELS[policy.tier].label), { hidden: true, width: 120 }),
  make.number('priority', t('Priority'), (policy) => policy.priority, { sortable: true, sortFirst: 'asc' }),
  make.text('tenant_name', t('Tenant'), (policy) => policy.tenant_name, { hidden: true, width: 120 }),
  make.text('project_name', t('Project'), (policy) => policy.project_name, { hidden: true, width: 120 }),
  make.text('description', t('Description'), (policy) => policy.description, { hidden: true, width: 200 }),
  make.text('owner', t('Owner'), (policy) => policy.owner, { sortable: true, hidden: true, width: 180 }),
  make.text('ticket', t('Ticket'), (policy) => policy.ticket, {
    hidden: true,
    width: 120,
    render: (policy) => <MaybeLink text={policy.ticket} />,
  }),
  make.time('next_expiry_at', t('Next expiry'), (policy) => policy.next_expiry_at, { sortable: true, hidden: true }),
  make.time('updated_at', t('Changed'), (policy) => policy.updated_at, { sortable: true, hidden: true }),
  make.time('created_at', t('Created'), (policy) => policy.created_at, { sortable: true, hidden: true }),
];

function Endpoints({ list }: { list: readonly string[] }) {
  const text = list.map(useEndpointNames(list)).join(', ');
  return <span className="mono">{text}</span>;
}
