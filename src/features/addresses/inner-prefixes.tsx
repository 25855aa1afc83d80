'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { SubnetDetail, SubnetNode } from '@/domain/ipam/subnet';
import { paths } from '@/lib/paths';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { SubnetLink } from '../shared/ipam/ipam-links';
import { UsageMeter } from '../shared/ipam/usage-meter';

const make = columnsOf<SubnetNode>();

const COLUMNS = [
  make.custom('cidr', 'Prefix', (item) => <SubnetLink id={item.id} cidr={item.cidr} />, {
    width: 200,
    grow: true,
    csv: (item) => item.cidr,
  }),
  make.custom('usage', 'Addresses used', (item) => <UsageMeter cidr={item.cidr} usage={item.usage} />, { width: 220 }),
  make.text('description', 'Description', (item) => item.description, { width: 200, grow: true }),
  make.mono('gateway', 'Gateway', (item) => item.gateway, { width: 150 }),
  make.number('descendants_total', 'Prefixes inside', (item) => item.descendants_total, { width: 130 }),
];

type Props = { subnet: SubnetDetail; onTake: () => void; writeReason: string | null };

/** The prefixes directly inside one. */
export function InnerPrefixes({ subnet, onTake, writeReason }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const query = useQuery(
    trpc.subnets.tree.queryOptions({ network_id: subnet.network_id, parent_id: subnet.id, limit: 1000 }),
  );
  const take = (
    <Button onClick={onTake} disabledReason={writeReason}>
      Take next free prefix
    </Button>
  );
  const rows = query.data?.items ?? [];
  return (
    <>
      {rows.length > 0 && <div className="flex justify-end">{take}</div>}
      <DataTable
        id="inner-prefixes"
        label="Inner prefixes"
        noun={{ one: 'prefix', many: 'prefixes' }}
        columns={COLUMNS}
        rows={rows}
        rowId={(item) => item.id}
        total={query.data?.total}
        loading={query.isPending}
        refreshing={query.isFetching}
        error={query.error ? failureOf(query.error) : null}
        onRetry={() => void query.refetch()}
        onRowOpen={(item) => router.push(paths.subnet({ subnetId: item.id }))}
        height="auto"
        empty={
          <EmptyState title="Nothing is inside" action={take}>
            Smaller prefixes of the network that lie in {subnet.cidr} appear here.
          </EmptyState>
        }
      />
    </>
  );
}
