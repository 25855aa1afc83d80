'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import type { RemoteSearch } from '@/ui/combobox-popup';
import { useDebounced } from './use-timers';

type Within = { clusterId?: string; enabled?: boolean };

/** What a search by name asks for, once the typing has paused. */
function useSearchInput(clusterId: string | undefined) {
  const [text, onSearch] = useState('');
  const q = useDebounced(text.trim());
  const input = {
    limit: 30,
    sort: 'name' as const,
    ...(q && { q: q.slice(0, 200) }),
    ...(clusterId && { cluster_id: clusterId }),
  };
  return { input, onSearch, isEarlier: q !== text.trim() };
}

const remoteSearch = (
  query: { isFetching: boolean; error: unknown },
  { onSearch, isEarlier }: ReturnType<typeof useSearchInput>,
  failed: string,
): RemoteSearch => ({
  onSearch,
  loading: query.isFetching || isEarlier,
  error: query.error ? (toFailure(query.error).detail ?? failed) : null,
});

/** Networks as choices, found by name; of one cluster when it is given. */
export function useNetworkOptions({ clusterId, enabled = true }: Within = {}) {
  const t = useT();
  const trpc = useTRPC();
  const search = useSearchInput(clusterId);
  const query = useQuery({
    ...trpc.networks.list.queryOptions(search.input),
    enabled,
    placeholderData: keepPreviousData,
  });
  const options = useMemo(
    () =>
      query.data?.items.map(({ id, name, cluster_name }) => ({ value: id, label: name, description: cluster_name })) ??
      [],
    [query.data],
  );
  return { options, remote: remoteSearch(query, search, t('Networks could not be read')) };
}

/** Workloads as choices, found by name, VMID, address or MAC; of one cluster when it is given. */
export function useWorkloadOptions({ clusterId, enabled = true }: Within = {}) {
  const t = useT();
  const trpc = useTRPC();
  const search = useSearchInput(clusterId);
  const query = useQuery({
    ...trpc.workloads.list.queryOptions(search.input),
    enabled,
    placeholderData: keepPreviousData,
  });
  const options = useMemo(
    () =>
      query.data?.items.map((workload) => ({
        value: workload.id,
        label: `${workload.name} (${workload.vmid})`,
        description: clusterId ? (workload.node_name ?? undefined) : workload.cluster_name,
      })) ?? [],
    [query.data, clusterId],
  );
  return { options, remote: remoteSearch(query, search, t('Workloads could not be read')) };
}

/** Security groups as choices, found by name. */
export function useGroupOptions({ enabled = true }: Pick<Within, 'enabled'> = {}) {
  const t = useT();
  const trpc = useTRPC();
  const search = useSearchInput(undefined);
  const query = useQuery({
    ...trpc.securityGroups.list.queryOptions(search.input),
    enabled,
    placeholderData: keepPreviousData,
  });
  const options = useMemo(
    () =>
      query.data?.items.map(({ id, name, tenant_name }) => ({
        value: id,
        label: name,
        description: tenant_name ?? t('Whole installation'),
      })) ?? [],
    [query.data, t],
  );
  return { options, remote: remoteSearch(query, search, t('Groups could not be read')) };
}
