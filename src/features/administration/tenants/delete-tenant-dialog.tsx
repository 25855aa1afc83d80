'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Tenant } from '@/domain/tenant';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from '../delete-dialog';

/** Asks before a tenant goes. One that holds something does not go, and the service says what. */
export function DeleteTenantDialog(props: { tenant: Tenant; onClose: () => void; onDeleted: () => void }) {
  const { tenant, onClose, onDeleted } = props;
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const remove = useMutation(
    trpc.tenants.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: `${tenant.name} deleted` });
        onDeleted();
        void queryClient.invalidateQueries(trpc.tenants.pathFilter());
      },
      onError: () => void queryClient.invalidateQueries(trpc.tenants.pathFilter()),
    }),
  );
  const { users } = tenant.counts;
  return (
    <DeleteDialog
      noun="tenant"
      name={tenant.name}
      remove={{ ...remove, mutate: () => remove.mutate({ id: tenant.id }) }}
      onClose={onClose}
    >
      <p>Only an empty tenant can be deleted: one without projects, security groups and policies.</p>
      {users > 0 && (
        <p>
          <strong className="text-text">{users === 1 ? 'One user loses' : `${users} users lose`}</strong> the roles held
          for it. Their accounts stay.
        </p>
      )}
    </DeleteDialog>
  );
}
