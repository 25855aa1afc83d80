'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { IpAddressDetail as Detail } from '@/domain/ipam/ip-address';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { CopyButton } from '@/ui/copy-button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Mono, RelativeTime } from '@/ui/values';
import { DeleteMenu, EditButton } from '../shared/detail-actions';
import { DetailPage } from '../shared/detail-page';
import { ClusterLink, NetworkLink, SubnetLink, WorkloadLink } from '../shared/entity-links';
import { WorkloadState } from '../shared/inventory-states';
import { ADDRESS_SOURCE_LABELS, AddressState } from '../shared/ipam/address-state';
import { AsOfButton, PastNotice, usePastTime } from '../shared/past/as-of';
import { FlowsLink, ReachLink } from '../shared/traffic-links';
import { usePermissions } from '../shared/use-permissions';
import { AddressConflicts } from './address-conflicts';
import { AddressPolicies } from './address-policies';
import { DeleteAddressesDialog } from './delete-addresses-dialog';
import { AssignmentHistory } from './holder-columns';
import { SightingList } from './sighting-list';

const EditAddressDrawer = loadOnOpening(() =>
  import('./edit-address-drawer').then((module) => module.EditAddressDrawer),
);

/** One address: who has it, who had it, in which prefixes it lies, and what contradicts it. */
export function AddressDetail({ addressId }: { addressId: string }) {
  const trpc = useTRPC();
  const [asOf, showTime] = usePastTime();
  const query = useQuery(trpc.ipAddresses.get.queryOptions({ id: addressId, as_of: asOf ?? undefined }));
  return (
    <>
      <PastNotice at={asOf} onChange={showTime} />
      <DetailPage query={query} title={(item) => item.address}>
        {(address) => <Content address={address} />}
      </DetailPage>
    </>
  );
}

function Content({ address }: { address: Detail }) {
  const t = useT();
  const [asOf, showTime] = usePastTime();
  const router = useRouter();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [isEditing, setEditing] = useState(false);
  /** As it was when the dialog opened. */
  const [deleting, setDeleting] = useState<readonly Detail[]>([]);
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
            <CopyButton value={address.address} label={t('Copy address')} />
            <AddressState state={address.state} />
          </>
        }
        actions={
          <>
            <ReachLink to={[address.address]} />
            <FlowsLink filter={{ address: address.address, cluster_id: address.cluster_id }} />
            <AsOfButton at={asOf} onChange={showTime} />
            {asOf === null && (
              <>
                <EditButton onClick={() => setEditing(true)} disabledReason={writeReason} />
                <DeleteMenu
                  name={address.address}
                  label={t('Delete address')}
                  onSelect={() => setDeleting([address])}
                  disabledReason={writeReason}
                />
              </>
            )}
          </>
        }
      />
      {asOf === null && <AddressConflicts address={address} />}
      <Section>
        <Properties columns={2} items={listProperties(t, address)} />
      </Section>
      <Section
        title={t('Whose address is it')}
        description={t('What each source says about the address in its cluster, side by side.')}
        bare
      >
        <SightingList sightings={address.sightings} observed={address.workload ? address.observed_at : undefined} />
      </Section>
      <Section title={t('Assignment history')} description={t('The last 100 assignments, newest first.')} bare>
        <AssignmentHistory id="address-history" holders={address.history} />
      </Section>
      {asOf === null && !reason('policy:read') && <AddressPolicies addressId={address.id} />}
      <EditAddressDrawer address={isEditing ? address : null} onClose={() => setEditing(false)} />
      <DeleteAddressesDialog
        addresses={deleting}
        onClose={() => setDeleting([])}
        onDeleted={() => router.replace(paths.subnet({ subnetId: address.subnet_id }))}
      />
    </>
  );
}

function listProperties(t: Translate, address: Detail) {
  const { workload } = address;
  return [
    {
      label: t('Workload'),
      value: workload && (
        <span className="inline-flex flex-wrap items-center gap-2">
          <WorkloadLink id={workload.id} name={workload.name} />
          <WorkloadState status={workload.status} />
        </span>
      ),
    },
    { label: t('Prefix'), value: <SubnetLink id={address.subnet_id} cidr={address.subnet_cidr} /> },
    { label: t('Interface'), value: address.interface_name && <Mono>{address.interface_name}</Mono> },
    { label: t('Network'), value: <NetworkLink id={address.network_id} name={address.network_name} /> },
    { label: t('MAC address'), value: address.mac && <Mono>{address.mac}</Mono> },
    { label: t('Cluster'), value: <ClusterLink id={address.cluster_id} name={address.cluster_name} /> },
    { label: t('Host name'), value: address.hostname },
    { label: t('Data source'), value: t(ADDRESS_SOURCE_LABELS[address.source]) },
    { label: t('Last seen'), value: <RelativeTime at={address.last_seen_at} none={t('Never discovered')} /> },
    { label: t('First seen'), value: <RelativeTime at={address.first_seen_at} none={t('Never discovered')} /> },
    { label: t('Changed'), value: <RelativeTime at={address.updated_at} /> },
  ];
}
