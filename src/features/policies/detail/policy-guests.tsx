'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { DEPLOYMENT_STATUSES } from '@/domain/policy/status';
import type { PolicyGuest } from '@/domain/policy-guests';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { Mono } from '@/ui/mono';
import { DeploymentState } from '../../shared/deployment-state';
import { REASON_WORDS, STATUS_WORDS } from '../../shared/deployment-words';
import { ClusterLink, WorkloadLink } from '../../shared/inventory-links';
import { useListState } from '../../shared/list-state';
import { useServerList } from '../../shared/use-server-list';
import { GuestComparisonDrawer } from './guest-comparison-drawer';

const make = columnsOf<PolicyGuest>();
const STATUSES = [...DEPLOYMENT_STATUSES, 'none'] as const;
const LIST = { sorts: ['vmid'], defaultSort: 'vmid', filters: { status: STATUSES } } as const;

const reasonsText = (t: Translate, { reasons }: PolicyGuest) =>
  reasons.map((reason) => t(REASON_WORDS[reason])).join(' ');

const columnsFor = (t: Translate) => [
  make.text('name', t('Guest'), (guest) => guest.name, {
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
  make.text('reasons', t('Why'), (guest) => reasonsText(t, guest), {
    width: 200,
    grow: true,
    render: (guest) => <span title={reasonsText(t, guest)}>{reasonsText(t, guest)}</span>,
  }),
  make.number('expected', t('Expected'), (guest) => guest.expected, { width: 88 }),
  make.number('live', t('Live'), (guest) => guest.live, { width: 80 }),
  make.number('outdated', t('Outdated'), (guest) => guest.outdated, { width: 88 }),
  make.number('leftover', t('Leftover'), (guest) => guest.leftover, { width: 84 }),
  make.text('cluster_name', t('Cluster'), (guest) => guest.cluster_name, {
    width: 130,
    render: (guest) => <ClusterLink id={guest.cluster_id} name={guest.cluster_name} />,
  }),
  make.time('read_at', t('Read'), (guest) => guest.read_at, { none: t('Never'), width: 104 }),
];

/** The guests of a policy; each opens to what is intended, was last applied, and is live. */
export function PolicyGuests({ policyId }: { policyId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const [guestId, setGuestId] = useQueryState('guest', parseAsString);
  const columns = useMemo(() => columnsFor(t), [t]);
  const list = useServerList({
    name: 'policy-guests',
    columns,
    state,
    pathKey: trpc.policies.guests.pathKey(),
    fixed: { id: policyId },
    fetchPage: (page, signal) => client.policies.guests.query({ ...state.input, id: policyId, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        search={{ label: t('Search guests'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: t('Status'),
            single: true,
            options: STATUSES.map((value) => ({ value, label: t(STATUS_WORDS[value].word) })),
            value: state.filters.status ? [state.filters.status] : [],
            onValueChange: ([value]) => state.setFilter('status', STATUSES.find((status) => status === value) ?? null),
          },
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="policy-guests"
        label={t('Guests of the policy')}
        noun={{ one: t('guest'), many: t('guests') }}
        rowId={(guest) => guest.workload_id}
        onRowOpen={(guest) => void setGuestId(guest.workload_id)}
        height="auto"
        empty={
          <EmptyState title={t('No guest has rules of this policy')}>
            {t('Nothing is wanted on any guest now, and nothing of it is known to be there.')}
          </EmptyState>
        }
      />
      <GuestComparisonDrawer policyId={policyId} workloadId={guestId} onClose={() => void setGuestId(null)} />
    </>
  );
}
