'use client';
import { useMemo } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { DataTable } from '@/ui/data-table';
import type { Column } from '@/ui/table/column';
import { showToast } from '@/ui/toast';
import { useAuditedExport } from '../shared/use-csv-export';
import { connectionColumns, nodeColumns } from './connection-columns';
import { connectionRows, nodeRows } from './connection-rows';
import type { MapLink, MapModel } from './map-model';
import { NoTraffic } from './no-traffic';
import type { TopologyState } from './use-topology-view';

type Props = {
  model: MapModel;
  matches: ReadonlySet<string> | null;
  view: TopologyState;
  refreshing: boolean;
  /** Since when traffic is kept, if all of the time range is older. */
  expired: string | null;
};

function useRows<Row extends object>(
  { name, noun }: { name: string; noun: string },
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { view, refreshing, expired }: Props,
) {
  const t = useT();
  const exporting = useAuditedExport<Row>({
    name,
    filters: {},
    columns,
    pages: async function* () {
      yield rows;
    },
    onError: () => showToast('danger', { title: t('Could not export the {name}', { name: noun }) }),
  });
  return {
    columns,
    rows,
    total: rows.length,
    sort: view.sort,
    onSortChange: view.setSort,
    loading: false,
    refreshing,
    error: null,
    filtered: view.q !== '' || view.filters.hide !== null,
    onClearFilters: () => view.setFilters({ hide: null, q: null } as Parameters<typeof view.setFilters>[0]),
    exporting,
    empty: <NoTraffic view={view} expired={expired} />,
  };
}

/** The lines of the map as a table, for keyboard and screen reader, and for sorting. */
export function ConnectionTable({ onOpen, ...props }: Props & { onOpen: (link: MapLink) => void }) {
  const { model, matches, view } = props;
  const t = useT();
  const columns = useMemo(() => connectionColumns(t), [t]);
  const rows = useMemo(() => connectionRows(model, matches, view.sort), [model, matches, view.sort]);
  const list = useRows({ name: 'connections', noun: t('connections') }, columns, rows, props);
  return (
    <DataTable
      {...list}
      id="topology-connections"
      label={t('Connections')}
      noun={{ one: t('connection'), many: t('connections') }}
      rowId={(row) => row.id}
      onRowOpen={({ link, edge }) => onOpen({ ...link, edges: [edge], bytes: edge.bytes, flows: edge.flows })}
    />
  );
}

/** The tiles of the map as a table. */
export function NodeTable({ onOpen, ...props }: Props & { onOpen: (nodeId: string) => void }) {
  const { model, matches, view } = props;
  const t = useT();
  const columns = useMemo(() => nodeColumns(t), [t]);
  const rows = useMemo(() => nodeRows(model, matches, view.sort), [model, matches, view.sort]);
  const list = useRows({ name: 'workloads', noun: t('workloads') }, columns, rows, props);
  return (
    <DataTable
      {...list}
      id="topology-workloads"
      label={t('Workloads and peers')}
      noun={{ one: t('endpoint'), many: t('endpoints') }}
      rowId={(row) => row.id}
      onRowOpen={(row) => onOpen(row.id)}
    />
  );
}
