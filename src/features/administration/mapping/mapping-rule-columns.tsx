import Link from 'next/link';
import type { MappingRule } from '@/domain/mapping-rule';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { ClusterLink } from '../../shared/inventory-links';
import { TenantLink } from '../admin-links';
import { SOURCE_LABELS } from './rule-words';

const make = columnsOf<MappingRule>();

export const MAPPING_RULE_COLUMNS = [
  make.number('priority', 'Priority', (rule) => rule.priority, { sortable: true, width: 90 }),
  make.text('value', 'Matches', (rule) => rule.value, {
    sortable: true,
    width: 200,
    grow: true,
    render: (rule) => (
      <span className="inline-flex max-w-full items-center gap-1.5">
        <Badge>{SOURCE_LABELS[rule.source]}</Badge>
        <span className="mono truncate">{rule.value}</span>
        {!rule.enabled && <Badge tone="off">Off</Badge>}
      </span>
    ),
  }),
  make.text('source', 'Kind', (rule) => SOURCE_LABELS[rule.source], { hidden: true, width: 90 }),
  make.text('cluster_name', 'Cluster', (rule) => rule.cluster_name ?? 'All clusters', {
    width: 140,
    render: (rule) =>
      rule.cluster_id && rule.cluster_name ? (
        <ClusterLink id={rule.cluster_id} name={rule.cluster_name} />
      ) : (
        <span className="text-muted">All clusters</span>
      ),
  }),
  make.text('project_name', 'Project', (rule) => rule.project_name, {
    sortable: true,
    width: 150,
    grow: true,
    render: (rule) => (
      <Link className="link" href={paths.workloads({ project_id: rule.project_id })}>
        {rule.project_name}
      </Link>
    ),
  }),
  make.text('tenant_name', 'Tenant', (rule) => rule.tenant_name, {
    width: 140,
    render: (rule) => <TenantLink id={rule.tenant_id} name={rule.tenant_name} />,
  }),
  make.number('workloads_matched', 'Matched', (rule) => rule.workloads_matched, { width: 90 }),
  make.number('workloads_assigned', 'Assigned', (rule) => rule.workloads_assigned, { width: 90 }),
  make.text('description', 'Description', (rule) => rule.description, { width: 180, hidden: true }),
  make.time('updated_at', 'Changed', (rule) => rule.updated_at, { sortable: true, width: 110 }),
  make.time('created_at', 'Created', (rule) => rule.created_at, { sortable: true, hidden: true, width: 110 }),
];
