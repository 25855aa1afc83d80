'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { SubnetDetail, SubnetNode } from '@/domain/ipam/subnet';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { SubnetLink } from '../shared/entity-links';
import { UsageMeter } from '../shared/ipam/usage-meter';

const make = createColumnHelper<SubnetNode>();

const innerColumns = (t: Translate) => [
  make.custom('cidr', t('Prefix'), (item) => <SubnetLink id={item.id} cidr={item.cidr} />, {
    width: 200,
    grow: true,
    csv: (item) => item.cidr,
  }),
  make.custom('usage', t('Addresses used'), (item) => <UsageMeter cidr={item.cidr} usage={item.usage} />, {
    width: 220,
  }),
  make.text('description', t('Description'), (item) => item.description, { width: 200, grow: true }),
  make.mono('gateway', t('Gateway'), (item) => item.gateway, { width: 150 }),
  make.number('descendants_total', t('Child prefixes'), (item) => item.descendants_total),
];

type Props = { subnet: SubnetDetail; onTake: () => void; writeReason: string | null };

/** The prefixes directly inside one. */
export function InnerPrefixes({ subnet, onTake, writeReason }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const router = useRouter();
  const query = useQuery(trpc.subnets.tree.queryOptions({ id: subnet.network_id, parent_id: subnet.id, limit: 1000 }));
  const columns = useMemo(() => innerColumns(t), [t]);
  const take = (
    <Button onClick={onTake} disabledReason={writeReason}>
      {t('Allocate next free prefix')}
    </Button>
  );
  const rows = query.data?.items ?? [];
  return (
    <>
      {rows.length > 0 && <div className="flex justify-end">{take}</div>}
      <DataTable
        id="inner-prefixes"
        label={t('Child prefixes')}
        noun={{ one: t('prefix'), many: t('prefixes') }}
        columns={columns}
        rows={rows}
        rowId={(item) => item.id}
        total={query.data?.total}
        loading={query.isPending}
        refreshing={query.isFetching}
        error={query.error ? toFailure(query.error) : null}
        onRetry={() => void query.refetch()}
        onRowOpen={(item) => router.push(paths.subnet({ subnetId: item.id }))}
        height="auto"
        empty={
          <EmptyState title={t('No child prefixes')} action={take}>
            {t('Smaller prefixes of this network within {cidr} appear here.', { cidr: subnet.cidr })}
          </EmptyState>
        }
      />
    </>
  );
}
