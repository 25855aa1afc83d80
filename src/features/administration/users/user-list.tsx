'use client';
import { Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { usePermissions } from '../../shared/use-permissions';
import { UserTable } from './user-table';

const CreateUserDrawer = loadOnOpening(() => import('./user-drawers').then((module) => module.CreateUserDrawer));

/** All accounts and what they may do. */
export function UserList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [adding, setAdding] = useQueryState('add', parseAsBoolean.withDefault(false));
  const writeReason = reason('user:write');
  useCommands(
    useMemo(
      () =>
        writeReason === null
          ? [
              {
                id: 'users.add',
                label: t('Create user'),
                group: t('Users'),
                icon: <Plus />,
                run: () => void setAdding(true),
              },
            ]
          : [],
      [writeReason, setAdding, t],
    ),
  );
  return (
    <>
      <PageHeader
        title={t('Users')}
        actions={
          <Button
            variant="primary"
            icon={<Plus size={14} />}
            onClick={() => void setAdding(true)}
            disabledReason={writeReason}
          >
            {t('Create user')}
          </Button>
        }
      />
      <UserTable />
      {adding && writeReason === null && (
        <CreateUserDrawer
          onClose={() => void setAdding(null)}
          onCreated={(user) => router.push(paths.user({ userId: user.id }))}
        />
      )}
    </>
  );
}
