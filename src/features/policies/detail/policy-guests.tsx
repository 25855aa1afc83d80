'use client';
import { DEPLOYMENT_STATUSES } from '@/domain/policy/status';
import type { PolicyGuest } from '@/domain/policy-guests';
import { msg, type Translate } from '@/lib/i18n/translator';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { createColumnHelper } from '@/ui/columns';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Mono } from '@/ui/values';
import { REASON_LABELS, STATUS_LABELS } from '../../shared/deployment-labels';
import { DeploymentState } from '../../shared/deployment-state';
import { ClusterLink, WorkloadLink } from '../../shared/entity-links';
import { declareList } from '../../shared/list/declare-list';
import { choice } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';

const GuestComparisonDrawer = loadOnOpening(() =>
  import('./guest-comparison-drawer').then((module) => module.GuestComparisonDrawer),
);

const make = createColumnHelper<PolicyGuest>();
const STATUSES = [...DEPLOYMENT_STATUSES, 'none'] as const;
const GUESTS = declareList({
  from: 'policies.guests',
  name: 'policy-guests',
  label: msg('Workloads of the policy'),
  noun: { one: msg('workload'), many: msg('workloads') },
  search: msg('Search workloads'),
  sorts: ['vmid'],
  defaultSort: 'vmid',
  filters: { status: choice(msg('Status'), STATUSES, (one) => STATUS_LABELS[one].word) },
  columns: (t) => columnsFor(t),
  rowId: (guest) => guest.workload_id,
  empty: {
    title: msg('No workload has rules of this policy'),
    text: msg('The policy requires no rules on any workload, and none are known to be live.'),
  },
});

const reasonsText = (t: Translate, { reasons }: PolicyGuest) =>
  reasons.map((reason) => t(REASON_LABELS[reason])).join(' ');

const columnsFor = (t: Translate) => [
  make.text('name', t('Workload'), (guest) => guest.name, {
    width: 170,
    grow: true,
    render: (guest) => <WorkloadLink id={guest.workload_id} name={guest.name} />,
  }),
  make.custom('vmid', t('VMID'), (guest) => <Mono>{guest.vmid}</Mono>, {
    sortable: true,
    width: 84,
    align: 'end',
    csv: (guest) => guest.vmid,
  }),
  make.custom('status', t('Status'), (guest) => <DeploymentState status={guest.status} reasons={guest.reasons} />, {
    width: 120,
    csv: (guest) => guest.status,
  }),
  make.text('reasons', t('Reason'), (guest) => reasonsText(t, guest), {
    width: 200,
    grow: true,
  }),
  make.number('expected', t('Expected'), (guest) => guest.expected),
  make.number('live', t('Live'), (guest) => guest.live),
  make.number('outdated', t('Outdated'), (guest) => guest.outdated),
  make.number('leftover', t('Leftover'), (guest) => guest.leftover),
  make.text('cluster_name', t('Cluster'), (guest) => guest.cluster_name, {
    width: 130,
    render: (guest) => <ClusterLink id={guest.cluster_id} name={guest.cluster_name} />,
  }),
  make.time('read_at', t('Last read'), (guest) => guest.read_at, { none: t('Never') }),
];

/** The guests of a policy; each opens to what is intended, was last applied, and is live. */
export function PolicyGuests({ policyId }: { policyId: string }) {
  const [guestId, setGuestId] = useUrlValue('guest', URL_TEXT);
  const list = useList(GUESTS, { within: { id: policyId } });
  return (
    <>
      <ListView of={list} onRowOpen={(guest) => void setGuestId(guest.workload_id)} height="auto" />
      <GuestComparisonDrawer policyId={policyId} workloadId={guestId} onClose={() => void setGuestId(null)} />
    </>
  );
}
