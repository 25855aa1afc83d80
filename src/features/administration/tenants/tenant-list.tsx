'use client';
import { Building2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Tenant } from '@/domain/tenant';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { declareList } from '../../shared/list/declare-list';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { DeleteTenantDialog } from './delete-tenant-dialog';
import { tenantColumns } from './tenant-columns';
import { CreateTenantDrawer, EditTenantDrawer } from './tenant-drawer';

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
      'Without tenants everybody with a role sees the whole installation. Create one for each team or customer that is to see only its own workloads.',
    ),
  },
});

/** The tenants within reach, with what they hold. */
export function TenantList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [dialog, setDialog] = useState<{ kind: 'create' } | { kind: 'edit' | 'delete'; tenant: Tenant } | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('tenant:write');
  const list = useList(TENANTS);
  return (
    <>
      <ListView
        of={list}
        onAdd={() => setDialog({ kind: 'create' })}
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
      {dialog?.kind === 'create' && (
        <CreateTenantDrawer
          onClose={close}
          onCreated={(tenant) => router.push(paths.tenant({ tenantId: tenant.id }))}
        />
      )}
      {dialog?.kind === 'edit' && <EditTenantDrawer tenant={dialog.tenant} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteTenantDialog tenant={dialog.tenant} onClose={close} onDeleted={close} />}
    </>
  );
}
