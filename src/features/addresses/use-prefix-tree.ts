'use client';
import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Network } from '@/domain/inventory';
import type { SubnetNode } from '@/domain/ipam/subnet';
import type { Page } from '@/domain/list';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { type Branch, type Level, prefixRows } from './prefix-rows';

/** `vlan20` before `vlan100`. */
const names = new Intl.Collator('en', { numeric: true });
/** Up to this many networks, with up to this many prefixes, are open from the start. */
const OPEN_AT_FIRST = { networks: 20, prefixes: 500 };

async function fetchAllPages<T>(fetchPage: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

type Options = { clusterId: string | null; withEmpty: boolean };

/** Networks with their nested prefixes, read branch by branch as they are opened. */
export function usePrefixTree({ clusterId, withEmpty }: Options) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const branches = useOpenBranches();
  const filter = clusterId ? { cluster_id: clusterId } : {};
  const networks = useQuery({
    queryKey: [trpc.networks.list.pathKey()[0], { input: filter, type: 'every' }],
    queryFn: ({ signal }) =>
      fetchAllPages<Network>((cursor) =>
        client.networks.list.query({ ...filter, limit: 500, sort: 'name', ...(cursor && { cursor }) }, { signal }),
      ),
    placeholderData: keepPreviousData,
  });
  const shown = useMemo(
    () =>
      (networks.data ?? [])
        .filter((network) => withEmpty || network.subnets_total > 0)
        .sort((a, b) => names.compare(a.cluster_name, b.cluster_name) || names.compare(a.name, b.name)),
    [networks.data, withEmpty],
  );
  const few =
    shown.filter((network) => network.subnets_total > 0).length <= OPEN_AT_FIRST.networks &&
    shown.reduce((sum, network) => sum + network.subnets_total, 0) <= OPEN_AT_FIRST.prefixes;
  const isOpen = (id: string, depth: number) => branches.chosen(id) ?? (few && depth === 1);

  const toQueryKey = (branch: Branch) => [trpc.subnets.tree.pathKey()[0], { input: branch, type: 'every' }];
  // The cache knows every level that was read; as one arrives, the next render finds the branches below it.
  const getLevel = (branch: Branch): Level => {
    const state = queryClient.getQueryState<SubnetNode[]>(toQueryKey(branch));
    return {
      items: state?.data,
      loading: state?.data === undefined && !state?.error,
      failure:
        state?.error && state.data === undefined
          ? (toFailure(state.error).detail ?? t('Could not read this entry.'))
          : null,
    };
  };
  const { rows, open } = prefixRows({ networks: shown, isOpen, levelOf: getLevel });
  const queries = useQueries({
    queries: open.map((branch) => ({
      queryKey: toQueryKey(branch),
      // The rows are read from the cache, not from these results: each change must render.
      notifyOnChangeProps: 'all' as const,
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const { network_id: id, ...within } = branch;
        return fetchAllPages<SubnetNode>((cursor) =>
          client.subnets.tree.query({ id, ...within, limit: 1000, ...(cursor && { cursor }) }, { signal }),
        );
      },
    })),
  });
  // Branches that are open from the start are shown together: one by one they would push the others down.
  const isReading = networks.isPending || open.some((branch) => getLevel(branch).loading);
  const [isShown, setIsShown] = useState(false);
  if (!isShown && !isReading) setIsShown(true);
  return {
    rows,
    /** Networks without any prefix that are left out. */
    hidden: (networks.data?.length ?? 0) - shown.length,
    networks: networks.data,
    error: networks.error && networks.data === undefined ? toFailure(networks.error) : null,
    retry: () => {
      void networks.refetch();
      for (const query of queries) if (query.error) void query.refetch();
    },
    loading: networks.isPending || (isReading && !isShown),
    refreshing: networks.isFetching || queries.some((query) => query.isFetching),
    toggle: (id: string, expanded: boolean) => branches.set(id, !expanded),
  };
}

const KEY = 'fabric.prefix-tree';

function stored(): Record<string, boolean> {
  try {
    const value: unknown = JSON.parse(window.sessionStorage.getItem(KEY) ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, open]) => typeof open === 'boolean'));
  } catch {
    return {};
  }
}

/** Which branches of the prefix tree the user opened or closed in this tab; they stay so when the user returns. */
function useOpenBranches() {
  const [chosen, setChosen] = useState(stored);
  return {
    /** Opened or closed manually; undefined when the user made no choice. */
    chosen: (id: string): boolean | undefined => chosen[id],
    set: (id: string, open: boolean) => {
      const next = { ...chosen, [id]: open };
      setChosen(next);
      try {
        window.sessionStorage.setItem(KEY, JSON.stringify(next));
      } catch {
        // Without storage the tree starts afresh next time.
      }
    },
  };
}
