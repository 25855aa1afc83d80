'use client';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Page } from '@/domain/list';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import type { Column } from '@/ui/table/column';
import { showToast } from '@/ui/toast';
import { useAuditedExport } from './use-csv-export';

const PAGE_ROWS = 200;
const EXPORT_ROWS = 500;

type State = {
  input: object;
  sort: string;
  setSort: (sort: string) => void;
  filtered: boolean;
  clear: () => void;
};

type Options<Row> = {
  /** Name of the exported file, and the noun in messages. */
  name: string;
  columns: readonly Column<Row>[];
  state: State;
  /** `trpc.workloads.list.pathKey()`: events that touch the resource invalidate all queries under it. */
  pathKey: QueryKey;
  /** Filters that the page sets besides those of the user, for example the cluster of a tab. */
  fixed?: object;
  /** For what changes without an event: read again this often while the page is visible. */
  refetchMs?: number;
  fetchPage: (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<Row>>;
  /** Columns of the exported file, when it is meant for a program rather than to look like the table. */
  exportColumns?: readonly Column<Row>[];
};

/** Loads a list page by page and returns what `DataTable` takes: rows, counts, states, sorting, export. */
export function useServerList<Row>({
  name,
  columns,
  state,
  pathKey,
  fixed,
  refetchMs,
  fetchPage,
  exportColumns = columns,
}: Options<Row>) {
  const t = useT();
  const query = useInfiniteQuery({
    queryKey: [pathKey[0], { input: { ...state.input, ...fixed }, type: 'infinite' }],
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ limit: PAGE_ROWS, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  const exporting = useAuditedExport<Row>({
    name,
    filters: { ...state.input, ...fixed },
    columns: exportColumns,
    pages: async function* (signal) {
      let cursor: string | undefined;
      do {
        const page = await fetchPage({ limit: EXPORT_ROWS, ...(cursor && { cursor }) }, signal);
        yield page.items;
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    },
    onError: (error) => {
      const failure = toFailure(error);
      showToast('danger', {
        title: t('Could not export the {name}', { name }),
        description: failure.detail ?? failure.title,
      });
    },
  });
  return {
    columns,
    rows,
    total: pages?.at(-1)?.total,
    sort: state.sort,
    onSortChange: state.setSort,
    loading: query.isPending,
    refreshing: query.isFetching && !query.isPending,
    error: query.error ? toFailure(query.error) : null,
    onRetry: () => void query.refetch(),
    onLoadMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    filtered: state.filtered,
    onClearFilters: state.clear,
    exporting,
  };
}
