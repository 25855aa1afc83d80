'use client';
import { MapPin } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { Subnet } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { SUBNET_EXPORT } from './export-columns';
import { type PrefixListState, subnetQuery } from './prefix-search';
import { subnetColumns } from './subnet-list-columns';
import type { useSubnetDialogs } from './use-subnet-dialogs';

type Props = { state: PrefixListState; subnets: ReturnType<typeof useSubnetDialogs> };

/** Prefixes as a flat list, or those of them that fit a search. */
export function SubnetTable({ state, subnets }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const { q: _, ...filters } = state.input;
  const asked = { ...filters, ...subnetQuery(state.q) };
  const columns = useMemo(() => subnetColumns(t), [t]);
  const list = useServerList<Subnet>({
    name: 'subnets',
    columns,
    exportColumns: SUBNET_EXPORT,
    state: { ...state, input: asked },
    pathKey: trpc.subnets.list.pathKey(),
    fetchPage: (page, signal) => client.subnets.list.query({ ...asked, ...page }, { signal }),
  });
  return (
    <DataTable
      {...list}
      id="subnets"
      label={t('Prefixes')}
      noun={{ one: t('prefix'), many: t('prefixes') }}
      rowId={(subnet) => subnet.id}
      rowActions={(subnet) => ({
        name: subnet.cidr,
        entries: [
          {
            id: 'reserve',
            label: t('Reserve next free address'),
            icon: <MapPin />,
            onSelect: () => subnets.reserve(subnet),
            disabledReason: reason('ipam:write'),
          },
        ],
      })}
      onRowOpen={(subnet) => router.push(paths.subnet({ subnetId: subnet.id }))}
      empty={<EmptyState title={t('No prefixes yet')}>{t('Discover addresses, or add a prefix.')}</EmptyState>}
    />
  );
}
