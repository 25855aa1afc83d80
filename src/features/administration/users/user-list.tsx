'use client';
import { Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { usePermissions } from '../../shared/use-permissions';
import { useAdding } from '../../shared/use-url-state';
import { UserTable } from './user-table';

const CreateUserDrawer = loadOnOpening(() => import('./user-drawers').then((module) => module.CreateUserDrawer));

/** All accounts and what they may do. */
export function UserList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [adding, setAdding] = useAdding('user:write');
  const writeReason = reason('user:write');
  return (
    <>
      <PageHeader
        title={t('Users')}
        actions={
          <Button
            variant="primary"
            icon={<Plus size={14} />}
            onClick={() => setAdding(true)}
            disabledReason={writeReason}
          >
            {t('Create user')}
          </Button>
        }
      />
      <UserTable />
      {adding && (
        <CreateUserDrawer
          onClose={() => setAdding(false)}
          onCreated={(user) => router.push(paths.user({ userId: user.id }))}
        />
      )}
    </>
  );
}
