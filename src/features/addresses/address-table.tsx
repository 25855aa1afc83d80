'use client';
import { MapPin, Pencil, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo, useState } from 'react';
import { ADDRESS_SORTS, ADDRESS_SOURCES, ADDRESS_STATES, type IpAddress, MAX_BULK } from '@/domain/ipam/ip-address';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { FilterChip } from '../shared/filter-chip';
import { ADDRESS_SOURCE_WORDS, ADDRESS_STATE_WORDS } from '../shared/ipam/address-state';
import { useListState } from '../shared/list-state';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { addressColumns } from './address-columns';
import { BulkEditDrawer } from './bulk-edit-drawer';
import { DeleteAddressesDialog } from './delete-addresses-dialog';
import { EditAddressDrawer } from './edit-address-drawer';
import { ADDRESS_EXPORT } from './export-columns';

const LIST = {
  sorts: ADDRESS_SORTS,
  defaultSort: 'address',
  filters: {
    state: ADDRESS_STATES,
    source: ADDRESS_SOURCES,
    cluster_id: 'id',
    assigned: 'flag',
    mac: 'text',
    within: 'text',
  },
} as const;

type Props = {
  /** Those of one subnet, with what lies in the prefixes inside it. */
  subnetId?: string;
  /** Above the table, beside the filters. */
  actions?: ReactNode;
};

/** Addresses with search, filters, bulk edit and export. */
export function AddressTable({ subnetId, actions }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<IpAddress | null>(null);
  const [bulk, setBulk] = useState(false);
  const [deleting, setDeleting] = useState<readonly IpAddress[]>([]);
  const fixed = subnetId ? { subnet_id: subnetId, nested: true } : undefined;
  const columns = useMemo(() => {
    const known = new Set(subnetId ? ['network_name', 'cluster_name'] : []);
    return addressColumns(t).filter((column) => !known.has(column.id));
  }, [subnetId, t]);
  const list = useServerList<IpAddress>({
    name: 'addresses',
    columns,
    exportColumns: ADDRESS_EXPORT,
    state,
    pathKey: trpc.ipAddresses.list.pathKey(),
    fixed,
    fetchPage: (page, signal) => client.ipAddresses.list.query({ ...state.input, ...fixed, ...page }, { signal }),
  });
  const chosen = useMemo(() => list.rows.filter((row) => selection.has(row.id)), [list.rows, selection]);
  // A row that is gone, or filtered away, is not chosen any more.
  const selected = useMemo(() => new Set(chosen.map((row) => row.id)), [chosen]);
  const bulkReason =
    writeReason ??
    (chosen.length > MAX_BULK ? t('At most {n} at once. Select fewer, or import a CSV file.', { n: MAX_BULK }) : null);
  const clear = () => setSelection(new Set());
  return (
    <>
      <FilterBar
        search={{ label: t('Search addresses'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'state',
            label: t('State'),
            single: true,
            options: ADDRESS_STATES.map((value) => ({ value, label: t(ADDRESS_STATE_WORDS[value].word) })),
            value: filters.state ? [filters.state] : [],
            onValueChange: ([value]) => state.setFilter('state', ADDRESS_STATES.find((one) => one === value) ?? null),
          },
          {
            id: 'assigned',
            label: t('Assigned'),
            single: true,
            options: [
              { value: 'true', label: t('To a workload') },
              { value: 'false', label: t('To nobody') },
            ],
            value: filters.assigned === null ? [] : [String(filters.assigned)],
            onValueChange: ([value]) => state.setFilter('assigned', value === undefined ? null : value === 'true'),
          },
          {
            id: 'source',
            label: t('Known from'),
            single: true,
            options: ADDRESS_SOURCES.map((value) => ({ value, label: t(ADDRESS_SOURCE_WORDS[value]) })),
            value: filters.source ? [filters.source] : [],
            onValueChange: ([value]) => state.setFilter('source', ADDRESS_SOURCES.find((one) => one === value) ?? null),
          },
          ...(subnetId
            ? []
            : [
                {
                  id: 'cluster_id',
                  label: t('Cluster'),
                  single: true,
                  options: clusters,
                  value: filters.cluster_id ? [filters.cluster_id] : [],
                  onValueChange: ([value]: string[]) => state.setFilter('cluster_id', value ?? null),
                },
              ]),
        ]}
        onClear={state.clear}
      >
        {filters.within && (
          <FilterChip label={t('Within')} value={filters.within} onRemove={() => state.setFilter('within', null)} />
        )}
        {filters.mac && (
          <FilterChip label={t('MAC')} value={filters.mac} onRemove={() => state.setFilter('mac', null)} />
        )}
        {actions}
      </FilterBar>
      <DataTable
        {...list}
        id={subnetId ? 'subnet-addresses' : 'addresses'}
        label={t('Addresses')}
        noun={{ one: t('address'), many: t('addresses') }}
        rowId={(row) => row.id}
        onRowOpen={(row) => router.push(paths.address({ addressId: row.id }))}
        rowActions={(row) => ({
          name: row.address,
          entries: [
            {
              id: 'edit',
              label: t('Edit address'),
              icon: <Pencil />,
              onSelect: () => setEditing(row),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete address'),
              icon: <Trash2 />,
              tone: 'danger',
              onSelect: () => setDeleting([row]),
              disabledReason: writeReason,
            },
          ],
        })}
        selection={selected}
        onSelectionChange={setSelection}
        bulkActions={
          <>
            <Button size="sm" onClick={() => setBulk(true)} disabledReason={bulkReason}>
              {t('Edit selected')}
            </Button>
            <Button size="sm" onClick={() => setDeleting(chosen)} disabledReason={bulkReason}>
              {t('Delete selected')}
            </Button>
          </>
        }
        empty={
          <EmptyState icon={<MapPin />} title={t('No addresses yet')}>
            {subnetId
              ? t('Nothing is known in this subnet. Assign an address, or discover them.')
              : t(
                  'Discover addresses: guest agents, containers, cloud-init and SDN tell who has which. Or import a CSV file.',
                )}
          </EmptyState>
        }
      />
      <EditAddressDrawer address={editing} onClose={() => setEditing(null)} />
      <BulkEditDrawer addresses={chosen} open={bulk} onClose={() => setBulk(false)} onSaved={clear} />
      <DeleteAddressesDialog
        addresses={deleting}
        onClose={() => setDeleting([])}
        onDeleted={() => {
          setDeleting([]);
          clear();
        }}
      />
    </>
  );
}
