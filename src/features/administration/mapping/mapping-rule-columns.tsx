import type { MappingRule } from '@/domain/mapping-rule';
import type { Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { ClusterLink } from '../../shared/entity-links';
import { TenantLink } from '../admin-links';
import { SOURCE_LABELS } from './mapping-labels';

const make = createColumnHelper<MappingRule>();

export const mappingRuleColumns = (t: Translate) => [
  make.number('priority', t('Priority'), (rule) => rule.priority, { sortable: true }),
  make.text('value', t('Matches'), (rule) => rule.value, {
    sortable: true,
    width: 200,
    grow: true,
    render: (rule) => (
      <span className="inline-flex max-w-full items-center gap-1.5">
        <Badge>{t(SOURCE_LABELS[rule.source])}</Badge>
        <span className="mono truncate">{rule.value}</span>
        {!rule.enabled && <Badge tone="off">{t('Off')}</Badge>}
      </span>
    ),
  }),
  make.text('source', t('Kind'), (rule) => t(SOURCE_LABELS[rule.source]), { hidden: true, width: 90 }),
  make.text('cluster_name', t('Cluster'), (rule) => rule.cluster_name ?? t('All clusters'), {
    width: 140,
    render: (rule) =>
      rule.cluster_id && rule.cluster_name ? (
        <ClusterLink id={rule.cluster_id} name={rule.cluster_name} />
      ) : (
        <span className="text-muted">{t('All clusters')}</span>
      ),
  }),
  make.text('project_name', t('Project'), (rule) => rule.project_name, {
    sortable: true,
    width: 150,
    grow: true,
    render: (rule) => (
      <Link className="link" href={paths.workloads({ project_id: rule.project_id })}>
        {rule.project_name}
      </Link>
    ),
  }),
  make.text('tenant_name', t('Tenant'), (rule) => rule.tenant_name, {
    width: 140,
    render: (rule) => <TenantLink id={rule.tenant_id} name={rule.tenant_name} />,
  }),
  make.number('workloads_matched', t('Matched'), (rule) => rule.workloads_matched),
  make.number('workloads_assigned', t('Assigned'), (rule) => rule.workloads_assigned),
  make.text('description', t('Description'), (rule) => rule.description, { width: 180, hidden: true }),
  make.time('updated_at', t('Changed'), (rule) => rule.updated_at, { sortable: true }),
  make.time('created_at', t('Created'), (rule) => rule.created_at, { sortable: true, hidden: true }),
];
