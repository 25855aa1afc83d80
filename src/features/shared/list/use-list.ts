'use client';
import { useMemo, useState } from 'react';
import type { Page } from '@/domain/list';
import { useT } from '@/lib/i18n/use-t';
import { useTRPCClient } from '@/lib/trpc';
import type { Column } from '@/ui/table/column';
import { useListState } from '../list-state';
import { useServerList } from '../use-server-list';
import type { InputOf, List, ListProcedure, ListTexts, RowOf } from './declare-list';
import type { Filters } from './filters';
import { useFilterFields } from './use-filter-fields';

type Options<P extends ListProcedure> = {
  /** Restricts the list to what hangs off one thing, on the page of that thing. */
  within?: Partial<InputOf<P>>;
  /** Filters and columns that say nothing there. */
  hide?: readonly string[];
  /** In place of the declared ones; keep their identity. */
  columns?: readonly Column<RowOf<P>>[];
  refetchMs?: number;
};

type Ask = (input: object, options: { signal: AbortSignal }) => Promise<Page<never>>;
const NOTHING = {};

/** Everything `ListView` shows of a declared list, with search, sort and filters in the URL. */
export function useList<P extends ListProcedure, F extends Filters, S extends string>(
  list: List<P, F, S>,
  { within = NOTHING, hide = [], columns: given, refetchMs = list.refetchMs }: Options<P> = {},
) {
  const t = useT();
  const client = useTRPCClient();
  const state = useListState(list.state);
  const fields = useFilterFields(list.filters, state as never, [...hide, ...Object.keys(within)]);
  const hidden = hide.join();
  const columns = useMemo(() => {
    const names = hidden.split(',');
    return (given ?? list.columns?.(t) ?? []).filter(({ id }) => !names.includes(id));
  }, [given, list, t, hidden]);
  const path = list.from.split('.');
  const input = list.ask ? list.ask(state.input) : state.input;
  const table = useServerList<RowOf<P>>({
    name: list.name,
    columns,
    exportColumns: list.exported || undefined,
    state: { ...state, input },
    pathKey: [path],
    fixed: within,
    refetchMs,
    fetchPage: (page, signal) => {
      const [router = '', name = ''] = path;
      const { query } = (client as unknown as Record<string, Record<string, { query: Ask }>>)[router]?.[name] ?? {};
      if (!query) throw new Error(`no procedure ${list.from}`);
      return query({ ...input, ...within, ...page }, { signal });
    },
  });
  return { list, state, fields, table, within };
}

/** A declared list with the state of a page. */
export type ListOnPage<Row> = {
  list: ListTexts & {
    common?: readonly string[];
    exported?: readonly Column<Row>[] | false;
    rowId: (row: Row) => string;
    rowPath?: (row: Row) => string;
  };
  state: Pick<ReturnType<typeof useListState>, 'q' | 'setQ' | 'clear'>;
  fields: ReturnType<typeof useFilterFields>;
  table: ReturnType<typeof useServerList<Row>>;
  within: object;
};

/**
 * The rows that are chosen: those that are selected and shown. A row that is gone, or filtered away, is not chosen any more, so that what
 * the list counts is what is acted on.
 */
export function chooseRows<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  selection: ReadonlySet<string>,
): { chosen: readonly Row[]; selection: ReadonlySet<string> } {
  const chosen = rows.filter((row) => selection.has(rowId(row)));
  return { chosen, selection: new Set(chosen.map(rowId)) };
}

/** What is selected in a list, for `ListView` and for what is done with it. */
export function useSelection<Row extends object>({ list: { rowId }, table: { rows } }: ListOnPage<Row>) {
  const [selection, select] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => chooseRows(rows, rowId, selection), [rows, rowId, selection]);
  return { ...shown, select };
}
