'use client';
import { KeyRound } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Role } from '@/domain/role';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../../shared/list/declare-list';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { useAdding } from '../../shared/use-url-state';
import { DeleteRoleDialog } from './delete-role-dialog';
import { roleColumns } from './role-columns';

const CreateRoleDrawer = loadOnOpening(
  () => import('./role-drawer').then((module) => module.CreateRoleDrawer),
  () => true,
);
const EditRoleDrawer = loadOnOpening(() => import('./role-drawer').then((module) => module.EditRoleDrawer));

const ROLES = declareList({
  from: 'roles.list',
  name: 'roles',
  title: msg('Roles'),
  label: msg('Roles'),
  noun: { one: msg('role'), many: msg('roles') },
  search: msg('Search roles'),
  sorts: ['name', 'title', 'created_at'],
  defaultSort: 'title',
  filters: {},
  columns: roleColumns,
  rowId: (role) => role.id,
  rowPath: (role) => paths.role({ roleId: role.id }),
  add: { label: msg('Create role'), permission: 'role:write' },
  empty: {
    icon: <KeyRound />,
    title: msg('No roles'),
    text: msg('Built-in roles should be listed here. Check the database and the server log.'),
  },
});
const BUILT_IN = msg('Built-in roles cannot be changed. Duplicate the role instead.');

type Open = { kind: 'copy' | 'edit' | 'delete'; role: Role };

/** The roles: built-in and custom ones. */
export function RoleList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [dialog, setDialog] = useState<Open | null>(null);
  const close = () => setDialog(null);
  const [adding, setAdding] = useAdding('role:write');
  const writeReason = reason('role:write');
  const list = useList(ROLES);
  return (
    <>
      <ListView
        of={list}
        onAdd={() => setAdding(true)}
        rowActions={(role) => ({
          name: role.title,
          entries: [
            {
              id: 'copy',
              label: t('Duplicate role'),
              onSelect: () => setDialog({ kind: 'copy', role }),
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
                (role.built_in ? t(BUILT_IN) : role.users_total > 0 && t('This role is assigned. Unassign it first.')),
            },
          ],
        })}
      />
      {(adding || dialog?.kind === 'copy') && (
        <CreateRoleDrawer
          from={dialog?.role}
          onClose={adding ? () => setAdding(false) : close}
          onCreated={(role) => router.push(paths.role({ roleId: role.id }))}
        />
      )}
      {dialog?.kind === 'edit' && <EditRoleDrawer role={dialog.role} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteRoleDialog role={dialog.role} onClose={close} onDeleted={close} />}
    </>
  );
}
