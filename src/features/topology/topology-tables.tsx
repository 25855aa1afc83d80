'use client';
import { useMemo } from 'react';
import { DataTable } from '@/ui/data-table';
import type { Column } from '@/ui/table/column';
import { useCsvExport } from '@/ui/table/use-csv-export';
import { showToast } from '@/ui/toast';
import { CONNECTION_COLUMNS, NODE_COLUMNS } from './connection-columns';
import { connectionRows, nodeRows } from './connection-rows';
import type { MapLink, MapModel } from './map-model';
import { NoTraffic } from './no-traffic';
import type { TopologyState } from './use-topology-view';

type Props = {
  model: MapModel;
  matches: ReadonlySet<string> | null;
  view: TopologyState;
  refreshing: boolean;
};

function useRows<Row extends object>(
  name: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { view, refreshing }: Props,
) {
  const exporting = useCsvExport<Row>({
    name,
    columns,
    pages: async function* () {
      yield rows;
    },
    onError: () => showToast('danger', { title: `Could not export the ${name}` }),
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
    empty: <NoTraffic view={view} />,
  };
}

/** The lines of the map as a table, for keyboard and screen reader, and for sorting. */
export function ConnectionTable({ onOpen, ...props }: Props & { onOpen: (link: MapLink) => void }) {
  const { model, matches, view } = props;
  const rows = useMemo(() => connectionRows(model, matches, view.sort), [model, matches, view.sort]);
  const list = useRows('connections', CONNECTION_COLUMNS, rows, props);
  return (
    <DataTable
      {...list}
      id="topology-connections"
      label="Connections"
      noun={{ one: 'connection', many: 'connections' }}
      rowId={(row) => row.id}
      onRowOpen={({ link, edge }) => onOpen({ ...link, edges: [edge], bytes: edge.bytes, flows: edge.flows })}
    />
  );
}

/** The tiles of the map as a table. */
export function NodeTable({ onOpen, ...props }: Props & { onOpen: (nodeId: string) => void }) {
  const { model, matches, view } = props;
  const rows = useMemo(() => nodeRows(model, matches, view.sort), [model, matches, view.sort]);
  const list = useRows('workloads', NODE_COLUMNS, rows, props);
  return (
    <DataTable
      {...list}
      id="topology-workloads"
      label="Workloads and peers"
      noun={{ one: 'end', many: 'ends' }}
      rowId={(row) => row.id}
      onRowOpen={(row) => onOpen(row.id)}
    />
  );
}
