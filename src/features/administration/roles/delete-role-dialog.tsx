'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Role } from '@/domain/role';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from '../delete-dialog';

/** Asks before deleting a role. An assigned role cannot be deleted. */
export function DeleteRoleDialog(props: { role: Role; onClose: () => void; onDeleted: () => void }) {
  const t = useT();
  const { role, onClose, onDeleted } = props;
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const remove = useMutation(
    trpc.roles.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: role.title }) });
        onDeleted();
        void queryClient.invalidateQueries(trpc.roles.pathFilter());
      },
      onError: () => void queryClient.invalidateQueries(trpc.roles.pathFilter()),
    }),
  );
  return (
    <DeleteDialog
      title={t('Delete role {name}?', { name: role.title })}
      confirmLabel={t('Delete role')}
      remove={{ ...remove, mutate: () => remove.mutate({ id: role.id }) }}
      onClose={onClose}
    >
      <p>{t('Only an unassigned role can be deleted.')}</p>
    </DeleteDialog>
  );
}
