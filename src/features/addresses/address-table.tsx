'use client';
import { MapPin, Pencil, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import { ADDRESS_SORTS, ADDRESS_SOURCES, ADDRESS_STATES, MAX_BULK } from '@/domain/choices';
import type { IpAddress } from '@/domain/ipam/ip-address';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { ADDRESS_SOURCE_LABELS, ADDRESS_STATE_LABELS } from '../shared/ipam/address-state';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, flag, inUrl } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList, useSelection } from '../shared/list/use-list';
import { AsOfButton, PastNotice } from '../shared/past/as-of';
import { usePermissions } from '../shared/use-permissions';
import { addressColumns } from './address-columns';
import { DeleteAddressesDialog } from './delete-addresses-dialog';
import { ADDRESS_EXPORT } from './export-columns';
import { MAC_FILTER, WITHIN_FILTER } from './prefix-search';

const EditAddressDrawer = loadOnOpening(() =>
  import('./edit-address-drawer').then((module) => module.EditAddressDrawer),
);

const BulkEditDrawer = loadOnOpening(() => import('./bulk-edit-drawer').then((module) => module.BulkEditDrawer));

const ADDRESSES = declareList({
  from: 'ipAddresses.list',
  name: 'addresses',
  label: msg('Addresses'),
  noun: { one: msg('address'), many: msg('addresses') },
  search: msg('Search addresses'),
  sorts: ADDRESS_SORTS,
  defaultSort: 'address',
  filters: {
    state: choice(msg('State'), ADDRESS_STATES, (one) => ADDRESS_STATE_LABELS[one].word),
    assigned: flag(msg('Assigned'), [
      [true, msg('To a workload')],
      [false, msg('Unassigned')],
    ]),
    source: choice(msg('Data source'), ADDRESS_SOURCES, (one) => ADDRESS_SOURCE_LABELS[one]),
    cluster_id: CLUSTER,
    within: WITHIN_FILTER,
    mac: MAC_FILTER,
    as_of: inUrl('time'),
  },
  common: ['state', 'assigned'],
  columns: addressColumns,
  exported: ADDRESS_EXPORT,
  rowId: (row) => row.id,
  rowPath: (row) => paths.address({ addressId: row.id }),
  empty: ({ within }) => ({
    icon: <MapPin />,
    title: msg('No addresses yet'),
    text:
      'subnet_id' in within
        ? msg('No addresses are known in this prefix. Assign an address, or run discovery.')
        : msg('Discover addresses from guest agents, containers, cloud-init and SDN, or import a CSV file.'),
  }),
});

type Props = {
  /** Those of one subnet, including those in the prefixes inside it. */
  subnetId?: string;
  /** Above the table, beside the filters. */
  actions?: ReactNode;
};

/** Addresses with search, filters, bulk edit and export. */
export function AddressTable({ subnetId, actions }: Props) {
  const t = useT();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const router = useRouter();
  const [editing, setEditing] = useState<IpAddress | null>(null);
  const [bulk, setBulk] = useState(false);
  const [deleting, setDeleting] = useState<readonly IpAddress[]>([]);
  const list = useList(
    ADDRESSES,
    subnetId
      ? { within: { subnet_id: subnetId, nested: true }, hide: ['cluster_id', 'network_name', 'cluster_name'] }
      : {},
  );
  const asOf = list.state.filters.as_of;
  const showTime = (at: string | null) => list.state.setFilter('as_of', at);
  const { chosen, selection, select } = useSelection(list);
  const bulkReason =
    writeReason ?? (chosen.length > MAX_BULK ? t('Select at most {n}, or import a CSV file.', { n: MAX_BULK }) : null);
  const clear = () => select(new Set());
  const rowActions = (row: IpAddress) => ({
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
        tone: 'danger' as const,
        onSelect: () => setDeleting([row]),
        disabledReason: writeReason,
      },
    ],
  });
  const bulkActions = (
    <>
      <Button size="sm" onClick={() => setBulk(true)} disabledReason={bulkReason}>
        {t('Edit selected')}
      </Button>
      <Button size="sm" onClick={() => setDeleting(chosen)} disabledReason={bulkReason}>
        {t('Delete selected')}
      </Button>
    </>
  );
  return (
    <>
      <ListView
        of={list}
        id={subnetId && 'subnet-addresses'}
        summary={<PastNotice at={asOf} onChange={showTime} />}
        {...(asOf === null
          ? { rowActions, selection, onSelectionChange: select, bulkActions }
          : { onRowOpen: ({ id }: IpAddress) => router.push(paths.address({ addressId: id, as_of: asOf })) })}
      >
        {asOf === null && actions}
        <AsOfButton at={asOf} onChange={showTime} />
      </ListView>
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
