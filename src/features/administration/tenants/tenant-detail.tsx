'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Tenant } from '@/domain/tenant';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { DeleteMenu, EditButton } from '../../shared/detail-actions';
import { DetailPage } from '../../shared/detail-page';
import { usePermissions } from '../../shared/use-permissions';
import { useUrlTab } from '../../shared/use-url-state';
import { ProjectTable } from '../projects/project-table';
import { UserTable } from '../users/user-table';
import { DeleteTenantDialog } from './delete-tenant-dialog';

const EditTenantDrawer = loadOnOpening(() => import('./tenant-drawer').then((module) => module.EditTenantDrawer));

const TABS = ['projects', 'users'] as const;

/** One tenant: its projects and its people. */
export function TenantDetail({ tenantId }: { tenantId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.tenants.get.queryOptions({ id: tenantId }));
  return (
    <DetailPage query={query} title={(item) => item.name}>
      {(tenant) => <Content tenant={tenant} />}
    </DetailPage>
  );
}

function Content({ tenant }: { tenant: Tenant }) {
  const t = useT();
  const router = useRouter();
  const { can, reason } = usePermissions();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.tenant({ tenantId: tenant.id, tab }));
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('tenant:write');
  const tabs = [
    {
      value: 'projects',
      label: t('Projects'),
      count: tenant.counts.projects,
      content: <ProjectTable tenantId={tenant.id} />,
    },
    ...(can('user:read')
      ? [{ value: 'users', label: t('Users'), count: tenant.counts.users, content: <UserTable tenantId={tenant.id} /> }]
      : []),
  ];
  return (
    <>
      <PageTrail crumbs={[{ label: tenant.name }]} />
      <PageHeader
        title={tenant.name}
        description={tenant.description || undefined}
        actions={
          <>
            <EditButton onClick={() => setDialog('edit')} disabledReason={writeReason} />
            <DeleteMenu
              name={tenant.name}
              label={t('Delete tenant')}
              onSelect={() => setDialog('delete')}
              disabledReason={writeReason}
            />
          </>
        }
      />
      <Tabs
        label={t('Tenant sections')}
        value={tabs.some(({ value }) => value === tab) ? tab : 'projects'}
        onValueChange={openTab}
        tabs={tabs}
      />
      {dialog === 'edit' && <EditTenantDrawer tenant={tenant} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteTenantDialog tenant={tenant} onClose={close} onDeleted={() => router.replace(paths.tenants())} />
      )}
    </>
  );
}
