'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { useDebounced } from './use-debounced';

/** Networks as choices, found by name; of one cluster when it is given. */
export function useNetworkOptions({ clusterId, enabled = true }: { clusterId?: string; enabled?: boolean } = {}) {
  const t = useT();
  const trpc = useTRPC();
  const [text, setText] = useState('');
  const q = useDebounced(text.trim());
  const query = useQuery({
    ...trpc.networks.list.queryOptions({
      limit: 30,
      sort: 'name',
      ...(q && { q: q.slice(0, 200) }),
      ...(clusterId && { cluster_id: clusterId }),
    }),
    enabled,
    placeholderData: keepPreviousData,
  });
  const options = useMemo(
    () =>
      query.data?.items.map((network) => ({
        value: network.id,
        label: network.name,
        description: network.cluster_name,
      })) ?? [],
    [query.data],
  );
  const error = query.error ? (failureOf(query.error).detail ?? t('Networks could not be read')) : null;
  return { options, remote: { onSearch: setText, loading: query.isFetching, error } };
}
