'use client';
import { Building2, Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import type { Tenant } from '@/domain/tenant';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { useListState } from '../../shared/list-state';
import { usePermissions } from '../../shared/use-permissions';
import { useServerList } from '../../shared/use-server-list';
import { DeleteTenantDialog } from './delete-tenant-dialog';
import { tenantColumns } from './tenant-columns';
import { CreateTenantDrawer, EditTenantDrawer } from './tenant-drawer';

const LIST = { sorts: ['name', 'created_at', 'updated_at'], defaultSort: 'name', filters: {} } as const;

/** The tenants within reach, with what they hold. */
export function TenantList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const state = useListState(LIST);
  const [dialog, setDialog] = useState<{ kind: 'create' } | { kind: 'edit' | 'delete'; tenant: Tenant } | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('tenant:write');
  const columns = useMemo(() => tenantColumns(t), [t]);
  const list = useServerList({
    name: 'tenants',
    columns,
    state,
    pathKey: trpc.tenants.list.pathKey(),
    fetchPage: (page, signal) => client.tenants.list.query({ ...state.input, ...page }, { signal }),
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => setDialog({ kind: 'create' })}
      disabledReason={writeReason}
    >
      {t('Create tenant')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('Tenants')} actions={create} />
      <FilterBar
        search={{ label: t('Search tenants'), value: state.q, onValueChange: state.setQ }}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="tenants"
        label={t('Tenants')}
        noun={{ one: t('tenant'), many: t('tenants') }}
        rowId={(tenant) => tenant.id}
        onRowOpen={(tenant) => router.push(paths.tenant({ tenantId: tenant.id }))}
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
        empty={
          <EmptyState icon={<Building2 />} title={t('No tenants yet')} action={create}>
            {t(
              'Without tenants everybody with a role sees the whole installation. Create one for each team or customer that is to see only its own workloads.',
            )}
          </EmptyState>
        }
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
