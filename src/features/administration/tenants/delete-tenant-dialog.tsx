'use client';
import type { Tenant } from '@/domain/tenant';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../../shared/delete-dialog';

/** Asks before a tenant goes. One that holds something does not go, and the service says what. */
export function DeleteTenantDialog(props: { tenant: Tenant; onClose: () => void; onDeleted: () => void }) {
  const t = useT();
  const { tenant, onClose, onDeleted } = props;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { users } = tenant.counts;
  return (
    <DeleteDialog
      title={t('Delete tenant {name}?', { name: tenant.name })}
      confirmLabel={t('Delete tenant')}
      name={tenant.name}
      remove={() => client.tenants.delete.mutate({ id: tenant.id })}
      outdated={[trpc.tenants.pathFilter()]}
      onDeleted={onDeleted}
      onClose={onClose}
    >
      <p>{t('Only an empty tenant, without projects, groups and policies, can be deleted.')}</p>
      {users > 0 && (
        <p>
          {t.rich(
            '<b>{n, plural, one {One user loses} other {# users lose}}</b> the roles assigned for this tenant. Their accounts stay.',
            { n: users, b: (inside) => <strong className="text-text">{inside}</strong> },
          )}
        </p>
      )}
    </DeleteDialog>
  );
}
