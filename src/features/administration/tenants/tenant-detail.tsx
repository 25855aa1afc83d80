'use client';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import type { Tenant } from '@/domain/tenant';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { RowActions } from '@/ui/menu';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { DetailSkeleton, useDocumentTitle } from '../../shared/detail-page';
import { QueryView } from '../../shared/query-view';
import { usePermissions } from '../../shared/use-permissions';
import { ProjectTable } from '../projects/project-table';
import { UserTable } from '../users/user-table';
import { DeleteTenantDialog } from './delete-tenant-dialog';
import { EditTenantDrawer } from './tenant-drawer';

const TABS = ['projects', 'users'] as const;

/** One tenant: its projects and its people. */
export function TenantDetail({ tenantId }: { tenantId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.tenants.get.queryOptions({ id: tenantId }));
  useDocumentTitle(query.data?.name);
  return (
    <QueryView query={query} skeleton={<DetailSkeleton />}>
      {(tenant) => <Content tenant={tenant} />}
    </QueryView>
  );
}

function Content({ tenant }: { tenant: Tenant }) {
  const t = useT();
  const router = useRouter();
  const { can, reason } = usePermissions();
  const [tab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('projects'));
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
            <Button icon={<Pencil size={14} />} onClick={() => setDialog('edit')} disabledReason={writeReason}>
              {t('Edit')}
            </Button>
            <RowActions
              name={tenant.name}
              entries={[
                {
                  id: 'delete',
                  label: t('Delete tenant'),
                  icon: <Trash2 />,
                  tone: 'danger',
                  onSelect: () => setDialog('delete'),
                  disabledReason: writeReason,
                },
              ]}
            />
          </>
        }
      />
      <Tabs
        label={t('Parts of the tenant')}
        value={tabs.some(({ value }) => value === tab) ? tab : 'projects'}
        onValueChange={(next) =>
          router.push(paths.tenant({ tenantId: tenant.id, tab: next === 'projects' ? undefined : next }), {
            scroll: false,
          })
        }
        tabs={tabs}
      />
      {dialog === 'edit' && <EditTenantDrawer tenant={tenant} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteTenantDialog tenant={tenant} onClose={close} onDeleted={() => router.replace(paths.tenants())} />
      )}
    </>
  );
}
