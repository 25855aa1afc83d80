'use client';
import { KeyRound, Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import type { Role } from '@/domain/role';
import { msg } from '@/lib/i18n/translator';
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
import { DeleteRoleDialog } from './delete-role-dialog';
import { roleColumns } from './role-columns';
import { CreateRoleDrawer, EditRoleDrawer } from './role-drawer';

const LIST = { sorts: ['name', 'title', 'created_at'], defaultSort: 'title', filters: {} } as const;
const BUILT_IN = msg('It is part of the service and stays as it is. Create one of your own from it.');

type Open = { kind: 'create'; from?: Role } | { kind: 'edit' | 'delete'; role: Role };

/** The roles: those of the service and one's own. */
export function RoleList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const state = useListState(LIST);
  const [dialog, setDialog] = useState<Open | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('role:write');
  const columns = useMemo(() => roleColumns(t), [t]);
  const list = useServerList({
    name: 'roles',
    columns,
    state,
    pathKey: trpc.roles.list.pathKey(),
    fetchPage: (page, signal) => client.roles.list.query({ ...state.input, ...page }, { signal }),
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => setDialog({ kind: 'create' })}
      disabledReason={writeReason}
    >
      {t('Create role')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('Roles')} actions={create} />
      <FilterBar
        search={{ label: t('Search roles'), value: state.q, onValueChange: state.setQ }}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="roles"
        label={t('Roles')}
        noun={{ one: t('role'), many: t('roles') }}
        rowId={(role) => role.id}
        onRowOpen={(role) => router.push(paths.role({ roleId: role.id }))}
        rowActions={(role) => ({
          name: role.title,
          entries: [
            {
              id: 'copy',
              label: t('Create role from it'),
              onSelect: () => setDialog({ kind: 'create', from: role }),
              disabledReason: writeReason,
            },
            {
              id: 'edit',
              label: t('Edit role'),
              onSelect: () => setDialog({ kind: 'edit', role }),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete role'),
              tone: 'danger',
              onSelect: () => setDialog({ kind: 'delete', role }),
              disabledReason:
                writeReason ??
                (role.built_in ? t(BUILT_IN) : role.users_total > 0 && t('Users hold it: take it from them first.')),
            },
          ],
        })}
        empty={
          <EmptyState icon={<KeyRound />} title={t('No roles')}>
            {t('Every installation has roles: something is wrong.')}
          </EmptyState>
        }
      />
      {dialog?.kind === 'create' && (
        <CreateRoleDrawer
          from={dialog.from}
          onClose={close}
          onCreated={(role) => router.push(paths.role({ roleId: role.id }))}
        />
      )}
      {dialog?.kind === 'edit' && <EditRoleDrawer role={dialog.role} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteRoleDialog role={dialog.role} onClose={close} onDeleted={close} />}
    </>
  );
}
