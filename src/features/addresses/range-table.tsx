'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { IpRange } from '@/domain/ipam/ip-range';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { showToast } from '@/ui/toast';
import { Mono } from '@/ui/values';
import { capacityText } from '../shared/ipam/usage-meter';
import { usePermissions } from '../shared/use-permissions';
import { RANGE_KIND_LABELS } from './range-form-values';

const RangeDrawer = loadOnOpening(() => import('./range-drawer').then((module) => module.RangeDrawer));

const make = createColumnHelper<IpRange>();

const rangeColumns = (t: Translate) => [
  make.custom(
    'first_address',
    t('Range'),
    (range) => (
      <Mono>
        {range.first_address} – {range.last_address}
      </Mono>
    ),
    { width: 260, grow: true, csv: (range) => `${range.first_address}-${range.last_address}` },
  ),
  make.text('kind', t('Kind'), (range) => t(RANGE_KIND_LABELS[range.kind]), { width: 110 }),
  make.custom('size', t('Addresses'), (range) => capacityText(range.size), {
    width: 110,
    align: 'end',
    csv: (range) => range.size,
  }),
  make.text('description', t('Description'), (range) => range.description, { width: 220, grow: true }),
];
const MOST = 500;

/** The ranges of a subnet that DHCP hands out or that are kept for something. */
export function RangeTable({ subnet }: { subnet: { id: string; cidr: string } }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [open, setOpen] = useState<IpRange | 'new' | null>(null);
  const [deleting, setDeleting] = useState<IpRange | null>(null);
  const query = useQuery(trpc.ipRanges.list.queryOptions({ subnet_id: subnet.id, limit: MOST }));
  const remove = useMutation(
    trpc.ipRanges.delete.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.ipRanges.pathFilter());
        void queryClient.invalidateQueries(trpc.subnets.pathFilter());
        showToast('ok', { title: t('Range deleted') });
        setDeleting(null);
      },
    }),
  );
  const columns = useMemo(() => rangeColumns(t), [t]);
  const add = (
    <Button onClick={() => setOpen('new')} disabledReason={writeReason}>
      {t('Add range')}
    </Button>
  );
  const rows = query.data?.items ?? [];
  return (
    <>
      {rows.length > 0 && <div className="flex justify-end">{add}</div>}
      <DataTable
        id="ip-ranges"
        label={t('Ranges')}
        noun={{ one: t('range'), many: t('ranges') }}
        columns={columns}
        rows={rows}
        rowId={(range) => range.id}
        total={query.data?.total}
        loading={query.isPending}
        refreshing={query.isFetching}
        error={query.error ? toFailure(query.error) : null}
        onRetry={() => void query.refetch()}
        onRowOpen={writeReason === null ? setOpen : undefined}
        rowActions={(range) => ({
          name: `${range.first_address} – ${range.last_address}`,
          entries: [
            {
              id: 'edit',
              label: t('Edit range'),
              icon: <Pencil />,
              onSelect: () => setOpen(range),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete range'),
              icon: <Trash2 />,
              tone: 'danger',
              onSelect: () => setDeleting(range),
              disabledReason: writeReason,
            },
          ],
        })}
        height="auto"
        empty={
          <EmptyState title={t('No ranges')} action={add}>
            {t(
              "A range keeps addresses from being allocated, for example a DHCP server's addresses or reserved addresses.",
            )}
          </EmptyState>
        }
      />
      <RangeDrawer subnet={subnet} range={open} onClose={() => setOpen(null)} />
      <ConfirmDialog
        open={deleting !== null}
        onOpenChange={(next) => {
          if (next) return;
          remove.reset();
          setDeleting(null);
        }}
        title={t('Delete range {first} – {last}?', {
          first: deleting?.first_address,
          last: deleting?.last_address,
        })}
        confirmLabel={t('Delete range')}
        pending={remove.isPending}
        error={remove.error ? toFailure(remove.error) : null}
        onConfirm={() => deleting && remove.mutate({ id: deleting.id, version: deleting.version })}
      >
        <p>{t('Addresses in the range can then be allocated as next free. Existing addresses stay unchanged.')}</p>
      </ConfirmDialog>
    </>
  );
}
