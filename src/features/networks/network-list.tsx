'use client';
import { Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { usePermissions } from '../shared/use-permissions';
import { useAdding } from '../shared/use-url-state';
import { NetworkTable } from './network-table';

const AddNetworkDrawer = loadOnOpening(() => import('./add-network-drawer').then((module) => module.AddNetworkDrawer));

/** The networks of all clusters. */
export function NetworkList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [adding, setAdding] = useAdding('ipam:write');
  return (
    <>
      <PageHeader
        title={t('Networks')}
        actions={
          <Button icon={<Plus size={14} />} onClick={() => setAdding(true)} disabledReason={reason('ipam:write')}>
            {t('Add network')}
          </Button>
        }
      />
      <NetworkTable />
      <AddNetworkDrawer
        open={adding}
        onClose={() => setAdding(false)}
        onAdded={(networkId) => router.push(paths.network({ networkId }))}
      />
    </>
  );
}
