'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Route } from 'lucide-react';
import { useMemo } from 'react';
import { MAX_HOPS } from '@/domain/choices';
import { protocolHasPorts } from '@/domain/policy/choices';
import type { ReachedList } from '@/domain/reach/reach';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, urlEnum, useUrlValues, withInitial } from '@/lib/url-state';
import { Combobox } from '@/ui/combobox';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FieldFrame } from '@/ui/form/field-frame';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { SegmentedControl } from '@/ui/segmented-control';
import { parseAsId } from '../shared/list-state';
import { QueryView } from '../shared/query-view';
import { useWorkloadOptions } from '../shared/use-searched-options';
import { useDebounced } from '../shared/use-timers';
import { reasonText } from './reach-labels';
import { reachedColumns } from './reached-columns';
import { ServiceFields, toProtocol } from './service-fields';

const HOPS = Array.from({ length: MAX_HOPS }, (_, at) => String(at + 1));
const URL = {
  workload_id: parseAsId,
  direction: withInitial(urlEnum(['from', 'to']), 'from'),
  protocol: URL_TEXT,
  port: URL_TEXT,
  hops: withInitial(urlEnum(HOPS), '1'),
};

/** What can reach a workload, or what it can reach, surprises first. */
export function WhoCanReach() {
  const t = useT();
  const trpc = useTRPC();
  const [values, set] = useUrlValues(URL);
  const { workload_id: id, direction, hops } = values;
  const { options, remote } = useWorkloadOptions();
  const protocol = toProtocol(values.protocol);
  const typed = useDebounced(values.port ?? '').trim();
  const port = protocolHasPorts(protocol) && typed !== '' ? Number(typed) : undefined;
  const isWrong = port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535);
  const input = { id: id ?? '', protocol, ...(port !== undefined && { port }) };
  const enabled = id !== null && !isWrong;
  const common = { placeholderData: keepPreviousData };
  const from = useQuery({
    ...trpc.reach.from.queryOptions(input),
    ...common,
    enabled: enabled && direction === 'from',
  });
  const to = useQuery({
    ...trpc.reach.to.queryOptions({ ...input, hops: Number(hops) }),
    ...common,
    enabled: enabled && direction === 'to',
  });
  const query = direction === 'from' ? from : to;
  const known =
    options.find(({ value }) => value === id) ?? (id && query.data && { value: id, label: query.data.workload.name });
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <FieldFrame name="workload_id" label={t('Workload')} error={undefined}>
          <Combobox
            aria-label={t('Workload')}
            value={known || null}
            onValueChange={(option) => set({ workload_id: option?.value ?? null })}
            options={options}
            remote={remote}
          />
        </FieldFrame>
        <ServiceFields
          single
          protocol={protocol}
          onProtocolChange={(next) => set({ protocol: next, ...(!protocolHasPorts(next) && { port: null }) })}
          ports={values.port ?? ''}
          onPortsChange={(next) => set({ port: next || null })}
          error={isWrong ? t('Enter a port from 1 to 65535.') : undefined}
        />
      </div>
      <div className="flex flex-wrap gap-3">
        <SegmentedControl
          label={t('Direction')}
          value={direction}
          onValueChange={(next) => set({ direction: next })}
          options={[
            { value: 'from', label: t('Reachable from') },
            { value: 'to', label: t('Reaches') },
          ]}
        />
        {direction === 'to' && (
          <SegmentedControl
            label={t('Hops')}
            value={hops}
            onValueChange={(next) => set({ hops: next })}
            options={HOPS.map((value) => ({
              value,
              label: t('{n, plural, one {# hop} other {# hops}}', { n: Number(value) }),
            }))}
          />
        )}
      </div>
      {enabled ? (
        <QueryView query={query} skeleton={<Skeleton className="h-40" />}>
          {(list) => <ReachedTable list={list} />}
        </QueryView>
      ) : (
        <EmptyState icon={<Route />} title={t('No question yet')}>
          {t('Choose a workload. The list begins with what is allowed and was never seen.')}
        </EmptyState>
      )}
    </>
  );
}

function ReachedTable({ list }: { list: ReachedList }) {
  const t = useT();
  const columns = useMemo(() => reachedColumns(t), [t]);
  const { items, items_total, denied_total, without_address_total: without, reason } = list;
  // Nothing was evaluated: an empty list would say that nothing is allowed.
  if (reason) {
    return (
      <Notice tone="warn" title={t('Nothing could be evaluated')}>
        {reasonText(t, reason)}
      </Notice>
    );
  }
  return (
    <>
      <p className="text-muted">
        {t('{n, plural, one {One workload is denied.} other {# workloads are denied.}}', { n: denied_total })}{' '}
        {without > 0 &&
          t('{n, plural, one {One workload has} other {# workloads have}} no known address and cannot be evaluated.', {
            n: without,
          })}
      </p>
      <DataTable
        id="reached"
        label={t('Workloads and addresses outside')}
        noun={{ one: t('workload'), many: t('workloads') }}
        columns={columns}
        rows={items}
        rowId={(row) => row.workload?.id ?? 'outside'}
        total={items_total}
        loading={false}
        error={null}
        height="auto"
        empty={
          <EmptyState title={t('Nothing is allowed')}>
            {t('No packet of this service passes, as far as it could be evaluated.')}
          </EmptyState>
        }
      />
    </>
  );
}
