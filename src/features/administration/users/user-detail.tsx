'use client';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { User } from '@/domain/user';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { RowActions } from '@/ui/menu';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { EditButton } from '../../shared/detail-actions';
import { DetailPage } from '../../shared/detail-page';
import { loadTab } from '../../shared/load-tab';
import { usePermissions } from '../../shared/use-permissions';
import { useUrlTab } from '../../shared/use-url-state';
import { ActiveDialog, DeleteUserDialog, ResetFactorDialog } from './user-dialogs';
import { activeText } from './user-labels';
import { UserOverview } from './user-overview';

const AccessTable = loadTab(() => import('./access-table').then((module) => module.AccessTable));
const UserTokens = loadTab(() => import('./user-tokens').then((module) => module.UserTokens));
const EditRolesDrawer = loadOnOpening(() => import('./user-drawers').then((module) => module.EditRolesDrawer));
const EditUserDrawer = loadOnOpening(() => import('./user-drawers').then((module) => module.EditUserDrawer));
const SetPasswordDrawer = loadOnOpening(() => import('./user-drawers').then((module) => module.SetPasswordDrawer));

const TABS = ['overview', 'access', 'tokens'] as const;

/** One account: its roles, and what it may do and why. */
export function UserDetail({ userId }: { userId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.users.get.queryOptions({ id: userId }));
  return (
    <DetailPage query={query} title={(item) => item.email}>
      {(user) => <Content user={user} />}
    </DetailPage>
  );
}

function Content({ user }: { user: User }) {
  const t = useT();
  const router = useRouter();
  const session = useSession();
  const { reason } = usePermissions();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.user({ userId: user.id, tab }));
  const [dialog, setDialog] = useState<
    'edit' | 'assign' | 'roles' | 'password' | 'factor' | 'active' | 'delete' | null
  >(null);
  const close = () => setDialog(null);
  const writeReason = reason('user:write');
  const own = session.status === 'signed_in' && session.user.id === user.id;
  const ownReason = own && t('This is your own account. Ask another administrator.');
  return (
    <>
      <PageTrail crumbs={[{ label: user.email }]} />
      <PageHeader
        title={user.email}
        description={user.name || undefined}
        badge={
          <>
            <Badge tone={user.active ? 'ok' : 'off'}>{activeText(t, user.active)}</Badge>
            {own && <Badge>{t('You')}</Badge>}
          </>
        }
        actions={
          <>
            <EditButton onClick={() => setDialog('edit')} disabledReason={writeReason} />
            <Button icon={<KeyRound size={14} />} onClick={() => setDialog('roles')} disabledReason={writeReason}>
              {t('Change roles')}
            </Button>
            <RowActions
              name={user.email}
              entries={[
                {
                  id: 'password',
                  label: t('Set password'),
                  onSelect: () => setDialog('password'),
                  disabledReason: writeReason,
                },
                {
                  id: 'factor',
                  label: t('Reset second factor'),
                  onSelect: () => setDialog('factor'),
                  disabledReason:
                    writeReason ??
                    (own
                      ? t('This is your own account. Use your account page.')
                      : user.second_factor_at === null && t('No second factor set up')),
                },
                {
                  id: 'active',
                  label: user.active ? t('Deactivate user') : t('Activate user'),
                  onSelect: () => setDialog('active'),
                  disabledReason: writeReason ?? ownReason,
                },
                {
                  id: 'delete',
                  label: t('Delete user'),
                  tone: 'danger',
                  onSelect: () => setDialog('delete'),
                  disabledReason: writeReason ?? ownReason,
                },
              ]}
            />
            <Button
              variant="primary"
              icon={<Plus size={14} />}
              onClick={() => setDialog('assign')}
              disabledReason={writeReason}
            >
              {t('Assign role')}
            </Button>
          </>
        }
      />
      <Tabs
        label={t('Account sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'overview', label: t('Overview'), content: <UserOverview user={user} /> },
          { value: 'access', label: t('Access'), content: <AccessTable user={user} /> },
          { value: 'tokens', label: t('API tokens'), content: <UserTokens user={user} /> },
        ]}
      />
      {dialog === 'edit' && <EditUserDrawer user={user} onClose={close} />}
      {(dialog === 'roles' || dialog === 'assign') && (
        <EditRolesDrawer user={user} adding={dialog === 'assign'} onClose={close} />
      )}
      {dialog === 'password' && <SetPasswordDrawer user={user} onClose={close} />}
      {dialog === 'factor' && <ResetFactorDialog user={user} onClose={close} />}
      {dialog === 'active' && <ActiveDialog user={user} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteUserDialog user={user} onClose={close} onDeleted={() => router.replace(paths.users())} />
      )}
    </>
  );
}
