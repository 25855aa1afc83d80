'use client';
import { useQuery } from '@tanstack/react-query';
import { Plus, Upload } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { DiscoverButton } from '../shared/discovery/discover-button';
import { loadTab } from '../shared/load-tab';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import { LastDiscovery } from './last-discovery';
import { Prefixes } from './prefixes';
import { useSubnetDialogs } from './use-subnet-dialogs';

const AddressTable = loadTab(() => import('./address-table').then((module) => module.AddressTable));
const ConflictTable = loadTab(() => import('./conflict-table').then((module) => module.ConflictTable));
const HolderTable = loadTab(() => import('./holder-table').then((module) => module.HolderTable));
const ImportTable = loadTab(() => import('./import-table').then((module) => module.ImportTable));

const WhoseAddress = loadTab(() => import('./whose-address').then((module) => module.WhoseAddress));

const TABS = ['prefixes', 'addresses', 'whose', 'history', 'conflicts', 'imports'] as const;

/** Prefixes, addresses and conflicts of all clusters. */
export function Addresses() {
  const t = useT();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.addresses({ tab }));
  const subnets = useSubnetDialogs();
  const conflicts = useOpenConflicts();
  return (
    <>
      <PageHeader
        title={t('Addresses')}
        description={<LastDiscovery />}
        actions={
          <>
            {writeReason === null ? (
              <Link className={buttonClass()} href={paths.importAddresses()}>
                <Upload size={14} aria-hidden />
                {t('Import')}
              </Link>
            ) : (
              <Button icon={<Upload size={14} />} disabledReason={writeReason}>
                {t('Import')}
              </Button>
            )}
            <Button icon={<Plus size={14} />} onClick={() => subnets.add()} disabledReason={writeReason}>
              {t('Add prefix')}
            </Button>
            <DiscoverButton variant="primary" />
          </>
        }
      />
      <Tabs
        label={t('IPAM sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'prefixes', label: t('Prefixes'), content: <Prefixes subnets={subnets} /> },
          { value: 'addresses', label: t('All addresses'), content: <AddressTable /> },
          { value: 'whose', label: t('Whose address'), content: <WhoseAddress /> },
          { value: 'history', label: t('Assignment history'), content: <HolderTable /> },
          { value: 'conflicts', label: t('Conflicts'), count: conflicts, content: <ConflictTable /> },
          // The reports hold what was written, so reading them needs the permission to write.
          ...(writeReason === null ? [{ value: 'imports', label: t('Imports'), content: <ImportTable /> }] : []),
        ]}
      />
      {subnets.dialogs}
    </>
  );
}

/** How many conflicts wait for a decision; null while unknown, or when there is none. */
function useOpenConflicts(): number | null {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.ipamConflicts.list.queryOptions({ status: 'open', limit: 1 }));
  return data?.total || null;
}
