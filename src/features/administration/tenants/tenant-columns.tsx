import type { Tenant } from '@/domain/tenant';
import { columnsOf } from '@/ui/columns';
import { TenantLink } from '../admin-links';

const make = columnsOf<Tenant>();

export const TENANT_COLUMNS = [
  make.text('name', 'Name', (tenant) => tenant.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (tenant) => <TenantLink id={tenant.id} name={tenant.name} />,
  }),
  make.number('projects', 'Projects', (tenant) => tenant.counts.projects, { width: 90 }),
  make.number('workloads', 'Workloads', (tenant) => tenant.counts.workloads, { width: 100 }),
  make.number('users', 'Users', (tenant) => tenant.counts.users, { width: 80 }),
  make.number('security_groups', 'Groups', (tenant) => tenant.counts.security_groups, { width: 80 }),
  make.number('policies', 'Policies', (tenant) => tenant.counts.policies, { width: 90 }),
  make.text('description', 'Description', (tenant) => tenant.description, { width: 200, grow: true }),
  make.time('updated_at', 'Changed', (tenant) => tenant.updated_at, { sortable: true, width: 110 }),
  make.time('created_at', 'Created', (tenant) => tenant.created_at, { sortable: true, hidden: true, width: 110 }),
];
