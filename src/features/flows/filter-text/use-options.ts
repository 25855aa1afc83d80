'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Completion } from '@/domain/filter-language/complete';
import { quoteWord } from '@/domain/filter-language/tokens';
import { useTRPC } from '@/lib/trpc';
import { usePermissions } from '../../shared/use-permissions';
import { useDebounced } from '../../shared/use-timers';

/** As many as fit below the field. */
const MOST = 10;
const NAMELESS = ['internal', 'external'];

/** What can be written at the cursor: names that the service knows first, then words of the language. */
export function useOptions(completion: Completion | null): readonly string[] {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const named = completion?.named ?? null;
  const typed = useDebounced(completion?.typed ?? '').slice(0, 200);
  const search = { q: typed, limit: MOST };
  const endpoints = useQuery({
    ...trpc.policies.searchEndpoints.queryOptions({ ...search, q: typed.replace(/^group:/, 'sg:') }),
    enabled: named === 'endpoint' && can('policy:read'),
    placeholderData: keepPreviousData,
  });
  const nodes = useQuery({
    ...trpc.nodes.list.queryOptions({ ...search, sort: 'name' }),
    enabled: named === 'node' && can('cluster:read'),
    placeholderData: keepPreviousData,
  });
  const clusters = useQuery({
    ...trpc.clusters.list.queryOptions({ ...search, sort: 'name' }),
    enabled: named === 'cluster' && can('cluster:read'),
    placeholderData: keepPreviousData,
  });
  if (!completion) return [];
  const names =
    named === 'endpoint'
      ? (endpoints.data?.items ?? []).flatMap(({ endpoint, kind }) =>
          kind === 'any' ? [] : [endpoint.replace(/^sg:/, 'group:')],
        )
      : named === null
        ? []
        : ((named === 'node' ? nodes : clusters).data?.items ?? []).map(({ name }) => name);
  const lower = completion.typed.toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(lower.replace(/^(group|sg):/, ''))).map(quoteWord);
  // Examples of names are no names of this installation: they are only offered while nothing is found.
  const words = named !== null && found.length > 0 && lower !== '' ? [] : completion.options;
  // Before anything is typed, what no search finds comes first.
  const first = lower === '' && named === 'endpoint' ? NAMELESS : [];
  return [...new Set([...first, ...found, ...words])].slice(0, MOST);
}
