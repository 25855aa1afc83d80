'use client';
import type { Role } from '@/domain/role';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../../shared/delete-dialog';

/** Asks before deleting a role. An assigned role cannot be deleted. */
export function DeleteRoleDialog(props: { role: Role; onClose: () => void; onDeleted: () => void }) {
  const t = useT();
  const { role, onClose, onDeleted } = props;
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete role {name}?', { name: role.title })}
      confirmLabel={t('Delete role')}
      name={role.title}
      remove={() => client.roles.delete.mutate({ id: role.id })}
      outdated={[trpc.roles.pathFilter()]}
      onDeleted={onDeleted}
      onClose={onClose}
    >
      <p>{t('Only an unassigned role can be deleted.')}</p>
    </DeleteDialog>
  );
}
