'use client';
import { useQuery } from '@tanstack/react-query';
import type { AddressPolicies as Policies } from '@/domain/ipam/address-policies';
import { formatCount } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Section } from '@/ui/section';
import { DeploymentState } from '../shared/deployment-state';
import { STATUS_WORDS } from '../shared/deployment-words';
import { PolicyMode } from '../shared/enforcement-mode';
import { PolicyLink } from '../shared/security-links';

type Row = Policies['policies'][number];

const make = columnsOf<Row>();
const endpointsOf = (row: Row, side: 'source' | 'target') =>
  row.touches
    .filter((touch) => touch.side === side)
    .map(({ endpoint }) => endpoint)
    .join(', ');

const COLUMNS = [
  make.text('name', 'Policy', (row) => row.name, {
    width: 180,
    grow: true,
    render: (row) => <PolicyLink id={row.policy_id} name={row.name} />,
  }),
  make.mono('from', 'As a source by', (row) => endpointsOf(row, 'source'), { width: 180, grow: true }),
  make.mono('to', 'As a target by', (row) => endpointsOf(row, 'target'), { width: 180, grow: true }),
  make.custom('mode', 'Mode', (row) => <PolicyMode mode={row.enforcement_mode} enabled={row.enabled} />, {
    width: 100,
    csv: (row) => (row.enabled ? row.enforcement_mode : 'disabled'),
  }),
  make.custom('status', 'Status', (row) => <DeploymentState status={row.deployment_status} reasons={[]} />, {
    width: 130,
    csv: (row) => STATUS_WORDS[row.deployment_status ?? 'none'].word,
  }),
];

/** The policies whose endpoints stand for an address. */
export function AddressPolicies({ addressId }: { addressId: string }) {
  const trpc = useTRPC();
  const { data, isPending, error, refetch } = useQuery(trpc.ipAddresses.policies.queryOptions({ id: addressId }));
  const hidden = data?.hidden ?? 0;
  const more = hidden > 0 ? ` ${formatCount(hidden)} more belong to tenants that you may not see.` : '';
  return (
    <Section
      title="Policies"
      description={`Their endpoints stand for this address or for its workload; “any” comes last.${more}`}
      bare
    >
      <DataTable
        id="address-policies"
        label="Policies that touch the address"
        noun={{ one: 'policy', many: 'policies' }}
        columns={COLUMNS}
        rows={data?.policies ?? []}
        rowId={(row) => row.policy_id}
        total={data?.policies.length ?? 0}
        loading={isPending}
        error={error && failureOf(error)}
        onRetry={() => void refetch()}
        height="auto"
        empty={
          <EmptyState title={hidden > 0 ? 'None that you may see' : 'No policy touches it'}>
            A policy does when one of its endpoints stands for this address or for the workload that has it.
          </EmptyState>
        }
      />
    </Section>
  );
}
