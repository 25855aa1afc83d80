'use client';
import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Role } from '@/domain/role';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { Mono } from '@/ui/values';
import { EditButton } from '../../shared/detail-actions';
import { DetailPage } from '../../shared/detail-page';
import { PermissionMatrix } from '../../shared/permissions/permission-matrix';
import { usePermissions } from '../../shared/use-permissions';
import { useUrlTab } from '../../shared/use-url-state';
import { UserTable } from '../users/user-table';

const CreateRoleDrawer = loadOnOpening(
  () => import('./role-drawer').then((module) => module.CreateRoleDrawer),
  () => true,
);
const EditRoleDrawer = loadOnOpening(() => import('./role-drawer').then((module) => module.EditRoleDrawer));

const TABS = ['permissions', 'users'] as const;

/** One role: its permissions, and the users who have it. */
export function RoleDetail({ roleId }: { roleId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.roles.get.queryOptions({ id: roleId }));
  return (
    <DetailPage query={query} title={(item) => item.title}>
      {(role) => <Content role={role} />}
    </DetailPage>
  );
}

function Content({ role }: { role: Role }) {
  const t = useT();
  const router = useRouter();
  const { can, reason } = usePermissions();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.role({ roleId: role.id, tab }));
  const [dialog, setDialog] = useState<'edit' | 'copy' | null>(null);
  const writeReason = reason('role:write');
  const tabs = [
    { value: 'permissions', label: t('Permissions'), content: <PermissionMatrix value={role.permissions} /> },
    ...(can('user:read')
      ? [{ value: 'users', label: t('Users'), count: role.users_total, content: <UserTable roleId={role.id} /> }]
      : []),
  ];
  return (
    <>
      <PageTrail crumbs={[{ label: role.title }]} />
      <PageHeader
        title={role.title}
        badge={
          <>
            <Badge>{role.built_in ? t('Built-in') : t('Custom')}</Badge>
            {role.requires_second_factor && <Badge tone="info">{t('Second factor')}</Badge>}
          </>
        }
        description={<Mono>{role.name}</Mono>}
        actions={
          <>
            <Button icon={<Copy size={14} />} onClick={() => setDialog('copy')} disabledReason={writeReason}>
              {t('Duplicate role')}
            </Button>
            <EditButton onClick={() => setDialog('edit')} disabledReason={writeReason} />
          </>
        }
      />
      <Tabs
        label={t('Role sections')}
        value={tabs.some(({ value }) => value === tab) ? tab : 'permissions'}
        onValueChange={openTab}
        tabs={tabs}
      />
      {dialog === 'edit' && <EditRoleDrawer role={role} onClose={() => setDialog(null)} />}
      {dialog === 'copy' && (
        <CreateRoleDrawer
          from={role}
          onClose={() => setDialog(null)}
          onCreated={(created) => {
            setDialog(null);
            router.push(paths.role({ roleId: created.id }));
          }}
        />
      )}
    </>
  );
}
