import type { Tenant } from '@/domain/tenant';
import type { Translate } from '@/lib/i18n/translator';
import { columnsOf } from '@/ui/columns';
import { TenantLink } from '../admin-links';

const make = columnsOf<Tenant>();

export const tenantColumns = (t: Translate) => [
  make.text('name', t('Name'), (tenant) => tenant.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (tenant) => <TenantLink id={tenant.id} name={tenant.name} />,
  }),
  make.number('projects', t('Projects'), (tenant) => tenant.counts.projects, { width: 90 }),
  make.number('workloads', t('Workloads'), (tenant) => tenant.counts.workloads, { width: 100 }),
  make.number('users', t('Users'), (tenant) => tenant.counts.users, { width: 80 }),
  make.number('security_groups', t('Groups'), (tenant) => tenant.counts.security_groups, { width: 80 }),
  make.number('policies', t('Policies'), (tenant) => tenant.counts.policies, { width: 90 }),
  make.text('description', t('Description'), (tenant) => tenant.description, { width: 200, grow: true }),
  make.time('updated_at', t('Changed'), (tenant) => tenant.updated_at, { sortable: true, width: 110 }),
  make.time('created_at', t('Created'), (tenant) => tenant.created_at, { sortable: true, hidden: true, width: 110 }),
];
