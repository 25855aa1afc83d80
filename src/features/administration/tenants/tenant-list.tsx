'use client';
import { Building2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Tenant } from '@/domain/tenant';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../../shared/list/declare-list';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { useAdding } from '../../shared/use-url-state';
import { TenantLink } from '../admin-links';
import { DeleteTenantDialog } from './delete-tenant-dialog';

const CreateTenantDrawer = loadOnOpening(() => import('./tenant-drawer').then((module) => module.CreateTenantDrawer));
const EditTenantDrawer = loadOnOpening(() => import('./tenant-drawer').then((module) => module.EditTenantDrawer));

const make = createColumnHelper<Tenant>();

const tenantColumns = (t: Translate) => [
  make.text('name', t('Name'), (tenant) => tenant.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (tenant) => <TenantLink id={tenant.id} name={tenant.name} />,
  }),
  make.number('projects', t('Projects'), (tenant) => tenant.counts.projects),
  make.number('workloads', t('Workloads'), (tenant) => tenant.counts.workloads),
  make.number('users', t('Users'), (tenant) => tenant.counts.users),
  make.number('security_groups', t('Groups'), (tenant) => tenant.counts.security_groups),
  make.number('policies', t('Policies'), (tenant) => tenant.counts.policies),
  make.text('description', t('Description'), (tenant) => tenant.description, { width: 200, grow: true }),
  make.time('updated_at', t('Changed'), (tenant) => tenant.updated_at, { sortable: true }),
  make.time('created_at', t('Created'), (tenant) => tenant.created_at, { sortable: true, hidden: true }),
];

const TENANTS = declareList({
  from: 'tenants.list',
  name: 'tenants',
  title: msg('Tenants'),
  label: msg('Tenants'),
  noun: { one: msg('tenant'), many: msg('tenants') },
  search: msg('Search tenants'),
  sorts: ['name', 'created_at', 'updated_at'],
  defaultSort: 'name',
  filters: {},
  columns: tenantColumns,
  rowId: (tenant) => tenant.id,
  rowPath: (tenant) => paths.tenant({ tenantId: tenant.id }),
  add: { label: msg('Create tenant'), permission: 'tenant:write' },
  empty: {
    icon: <Building2 />,
    title: msg('No tenants yet'),
    text: msg(
      'Without tenants, every user with a role sees the whole installation. Create one per team or customer to limit this to its own workloads.',
    ),
  },
});

/** The tenants visible to the user, with what they contain. */
export function TenantList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; tenant: Tenant } | null>(null);
  const close = () => setDialog(null);
  const [adding, setAdding] = useAdding('tenant:write');
  const writeReason = reason('tenant:write');
  const list = useList(TENANTS);
  return (
    <>
      <ListView
        of={list}
        onAdd={() => setAdding(true)}
        rowActions={(tenant) => ({
          name: tenant.name,
          entries: [
            {
              id: 'edit',
              label: t('Edit tenant'),
              onSelect: () => setDialog({ kind: 'edit', tenant }),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete tenant'),
              tone: 'danger',
              onSelect: () => setDialog({ kind: 'delete', tenant }),
              disabledReason: writeReason,
            },
          ],
        })}
      />
      {adding && (
        <CreateTenantDrawer
          onClose={() => setAdding(false)}
          onCreated={(tenant) => router.push(paths.tenant({ tenantId: tenant.id }))}
        />
      )}
      {dialog?.kind === 'edit' && <EditTenantDrawer tenant={dialog.tenant} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteTenantDialog tenant={dialog.tenant} onClose={close} onDeleted={close} />}
    </>
  );
}
