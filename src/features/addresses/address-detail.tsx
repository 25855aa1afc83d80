'use client';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { AddressHolder, IpAddressDetail as Detail } from '@/domain/ipam/ip-address';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { columnsOf } from '@/ui/columns';
import { CopyButton } from '@/ui/copy-button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Mono } from '@/ui/mono';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Properties } from '@/ui/properties';
import { RelativeTime } from '@/ui/relative-time';
import { RowActions } from '@/ui/row-actions';
import { Section } from '@/ui/section';
import { DetailSkeleton } from '../shared/detail-skeleton';
import { FlowsLink } from '../shared/flows-link';
import { ClusterLink, NetworkLink, WorkloadLink } from '../shared/inventory-links';
import { WorkloadState } from '../shared/inventory-states';
import { ADDRESS_SOURCE_WORDS, AddressState } from '../shared/ipam/address-state';
import { SubnetLink } from '../shared/ipam/ipam-links';
import { QueryView } from '../shared/query-view';
import { useDocumentTitle } from '../shared/use-document-title';
import { usePermissions } from '../shared/use-permissions';
import { AddressConflicts } from './address-conflicts';
import { AddressPolicies } from './address-policies';
import { DeleteAddressesDialog } from './delete-addresses-dialog';
import { EditAddressDrawer } from './edit-address-drawer';

const make = columnsOf<AddressHolder>();

const sourceWord = (source: string) =>
  Object.hasOwn(ADDRESS_SOURCE_WORDS, source)
    ? ADDRESS_SOURCE_WORDS[source as keyof typeof ADDRESS_SOURCE_WORDS]
    : source;

const HISTORY_COLUMNS = [
  make.text('workload', 'Workload', (item) => item.workload_name, {
    width: 200,
    grow: true,
    render: (item) =>
      item.workload_id ? (
        <WorkloadLink id={item.workload_id} name={item.workload_name} />
      ) : (
        <span className="text-muted">{item.workload_name} (deleted)</span>
      ),
  }),
  make.time('from_at', 'From', (item) => item.from_at, { width: 130 }),
  make.custom(
    'until_at',
    'Until',
    (item) => (item.until_at ? <RelativeTime at={item.until_at} /> : <span className="font-medium">Now</span>),
    { width: 130, csv: (item) => item.until_at },
  ),
  make.mono('interface_name', 'Card', (item) => item.interface_name, { width: 90 }),
  make.mono('mac', 'MAC address', (item) => item.mac, { width: 160 }),
  make.text('source', 'Known from', (item) => sourceWord(item.source), { width: 130 }),
  make.mono('external_id', 'External id', (item) => item.workload_external_id, { width: 120 }),
];

/** One address: who has it, who had it, in which prefixes it lies, and what contradicts it. */
export function AddressDetail({ addressId }: { addressId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.ipAddresses.get.queryOptions({ id: addressId }));
  useDocumentTitle(query.data?.address);
  return (
    <QueryView query={query} skeleton={<DetailSkeleton />}>
      {(address) => <Content address={address} />}
    </QueryView>
  );
}

function Content({ address }: { address: Detail }) {
  const router = useRouter();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const close = () => setDialog(null);
  return (
    <>
      <PageTrail
        crumbs={[
          ...address.subnets.map(({ id, cidr }) => ({ label: cidr, href: paths.subnet({ subnetId: id }) })),
          { label: address.address },
        ]}
      />
      <PageHeader
        title={address.address}
        description={address.description || undefined}
        badge={
          <>
            <CopyButton value={address.address} label="Copy address" />
            <AddressState state={address.state} />
          </>
        }
        actions={
          <>
            <FlowsLink filter={{ address: address.address, cluster_id: address.cluster_id }} />
            <Button icon={<Pencil size={14} />} onClick={() => setDialog('edit')} disabledReason={writeReason}>
              Edit
            </Button>
            <RowActions
              name={address.address}
              entries={[
                {
                  id: 'delete',
                  label: 'Delete address',
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
      <AddressConflicts address={address} />
      <Section>
        <Properties columns={2} items={facts(address)} />
      </Section>
      <Section title="Who had it" description="Newest first, at most the last 100." bare>
        <DataTable
          id="address-history"
          label="Who had it"
          noun={{ one: 'holder', many: 'holders' }}
          columns={HISTORY_COLUMNS}
          rows={address.history}
          rowId={(holder) => holder.id}
          total={address.history.length}
          loading={false}
          error={null}
          height="auto"
          empty={<EmptyState title="Nobody had it yet">Every workload that gets it will be listed here.</EmptyState>}
        />
      </Section>
      {!reason('policy:read') && <AddressPolicies addressId={address.id} />}
      <EditAddressDrawer address={dialog === 'edit' ? address : null} onClose={close} />
      <DeleteAddressesDialog
        addresses={dialog === 'delete' ? [address] : []}
        onClose={close}
        onDeleted={() => router.replace(paths.subnet({ subnetId: address.subnet_id }))}
      />
    </>
  );
}

function facts(address: Detail) {
  const { workload } = address;
  return [
    {
      label: 'Workload',
      value: workload && (
        <span className="inline-flex flex-wrap items-center gap-2">
          <WorkloadLink id={workload.id} name={workload.name} />
          <WorkloadState status={workload.status} />
        </span>
      ),
    },
    { label: 'Subnet', value: <SubnetLink id={address.subnet_id} cidr={address.subnet_cidr} /> },
    { label: 'Network card', value: address.interface_name && <Mono>{address.interface_name}</Mono> },
    { label: 'Network', value: <NetworkLink id={address.network_id} name={address.network_name} /> },
    { label: 'MAC address', value: address.mac && <Mono>{address.mac}</Mono> },
    { label: 'Cluster', value: <ClusterLink id={address.cluster_id} name={address.cluster_name} /> },
    { label: 'Host name', value: address.hostname },
    { label: 'Known from', value: ADDRESS_SOURCE_WORDS[address.source] },
    { label: 'Last seen', value: <RelativeTime at={address.last_seen_at} none="Never by a discovery" /> },
    { label: 'First seen', value: <RelativeTime at={address.first_seen_at} none="Never by a discovery" /> },
    { label: 'Changed', value: <RelativeTime at={address.updated_at} /> },
  ];
}
