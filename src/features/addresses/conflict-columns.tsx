import type { IpamConflict } from '@/domain/ipam/conflict';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Status, type Tone } from '@/ui/status';
import { Missing, Mono } from '@/ui/values';
import { AddressLink, ClusterLink, NetworkLink, WorkloadLink } from '../shared/entity-links';
import { CONFLICT_KIND_LABELS, CONFLICT_STATUS_LABELS, conflictText, RESOLUTION_LABELS } from './conflict-labels';

const make = createColumnHelper<IpamConflict>();

const TONES: Record<IpamConflict['status'], Tone> = { open: 'danger', resolved: 'ok', gone: 'off' };

const statusText = (t: Translate, { status, resolution }: IpamConflict) =>
  t(resolution ? RESOLUTION_LABELS[resolution] : CONFLICT_STATUS_LABELS[status]);

const party = (t: Translate, workload: IpamConflict['workload']) =>
  workload ? (
    <WorkloadLink id={workload.id} name={workload.name} />
  ) : (
    <Missing label={t('Unassigned, or not visible to you')} />
  );

export const conflictColumns = (t: Translate) => [
  make.custom(
    'address',
    t('Address'),
    (item) =>
      item.address && item.ip_address_id ? (
        <AddressLink id={item.ip_address_id} address={item.address} />
      ) : (
        <Mono>{item.address ?? item.mac}</Mono>
      ),
    { sortable: true, width: 170, csv: (item) => item.address ?? item.mac },
  ),
  make.text('kind', t('Problem'), (item) => t(CONFLICT_KIND_LABELS[item.kind]), { sortable: true, width: 180 }),
  make.text('text', t('Description'), (item) => conflictText(t, item), {
    width: 280,
    grow: true,
  }),
  make.custom('status', t('Status'), (item) => <Status tone={TONES[item.status]}>{statusText(t, item)}</Status>, {
    sortable: true,
    width: 116,
    csv: (item) => statusText(t, item),
  }),
  make.text('workload', t('Assigned to'), (item) => item.workload?.name, {
    hidden: true,
    width: 140,
    render: (item) => party(t, item.workload),
  }),
  make.text('other_workload', t('Also seen on'), (item) => item.other_workload?.name, {
    hidden: true,
    width: 140,
    render: (item) => party(t, item.other_workload),
  }),
  make.text('network_name', t('Network'), (item) => item.network_name, {
    hidden: true,
    width: 120,
    render: (item) =>
      item.network_id && item.network_name ? (
        <NetworkLink id={item.network_id} name={item.network_name} />
      ) : (
        <Missing />
      ),
  }),
  make.text('cluster_name', t('Cluster'), (item) => item.cluster_name, {
    width: 120,
    render: (item) => <ClusterLink id={item.cluster_id} name={item.cluster_name} />,
  }),
  make.time('created_at', t('Found'), (item) => item.created_at, { sortable: true }),
  make.time('began_at', t('Since'), (item) => item.began_at, { hidden: true }),
  make.time('evidence_at', t('Last evidence'), (item) => item.evidence_at, { hidden: true }),
  make.text('resolved_by_name', t('Resolved by'), (item) => item.resolved_by_name, { hidden: true, width: 140 }),
  make.text('note', t('Note'), (item) => item.note, { hidden: true, width: 180 }),
];
