import { useMemo } from 'react';
import type { AddressHolder } from '@/domain/ipam/ip-address';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { RelativeTime } from '@/ui/values';
import { WorkloadLink } from '../shared/entity-links';
import { ADDRESS_SOURCE_LABELS } from '../shared/ipam/address-state';

const sourceLabel = (t: Translate, source: string) =>
  Object.hasOwn(ADDRESS_SOURCE_LABELS, source)
    ? t(ADDRESS_SOURCE_LABELS[source as keyof typeof ADDRESS_SOURCE_LABELS])
    : source;

/** Columns of who held an address, and when. */
export function holderColumns<Row extends AddressHolder>(t: Translate) {
  const make = createColumnHelper<Row>();
  return [
    make.text('workload', t('Workload'), (item) => item.workload_name, {
      width: 200,
      grow: true,
      render: (item) =>
        item.workload_id ? (
          <WorkloadLink id={item.workload_id} name={item.workload_name} />
        ) : (
          <span className="text-muted">{t('{name} (deleted)', { name: item.workload_name })}</span>
        ),
    }),
    make.time('from_at', t('From'), (item) => item.from_at),
    make.custom(
      'until_at',
      t('Until'),
      (item) =>
        item.until_at ? (
          <RelativeTime at={item.until_at} />
        ) : (
          <span className="font-medium">{t('Current assignment')}</span>
        ),
      { width: 152, csv: (item) => item.until_at },
    ),
    make.mono('interface_name', t('Interface'), (item) => item.interface_name, { width: 90 }),
    make.mono('mac', t('MAC address'), (item) => item.mac, { width: 160 }),
    make.text('source', t('Data source'), (item) => sourceLabel(t, item.source), { width: 130 }),
    make.mono('external_id', t('External ID'), (item) => item.workload_external_id, { width: 120 }),
  ];
}

type Props = { id: string; holders: readonly (AddressHolder & { id: string })[] };

/** Who held an address and when, as a table. */
export function AssignmentHistory({ id, holders }: Props) {
  const t = useT();
  const columns = useMemo(() => holderColumns<Props['holders'][number]>(t), [t]);
  return (
    <DataTable
      id={id}
      label={t('Assignment history')}
      noun={{ one: t('assignment'), many: t('assignments') }}
      columns={columns}
      rows={holders}
      rowId={(holder) => holder.id}
      total={holders.length}
      loading={false}
      error={null}
      height="auto"
      empty={
        <EmptyState title={t('No assignments yet')}>
          {t('Workloads that are assigned this address are listed here.')}
        </EmptyState>
      }
    />
  );
}
