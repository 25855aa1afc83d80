'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTRPC } from '@/lib/trpc';
import { usePermissions } from './use-permissions';

type ClusterOption = { value: string; label: string };

/** The clusters as choices, by name; null while they are not known, and for those who may not see clusters. */
export function useKnownClusters(): ClusterOption[] | null {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.clusters.list.queryOptions({ sort: 'name', limit: 500 }),
    enabled: can('cluster:read'),
  });
  return useMemo(() => data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? null, [data]);
}

const NONE: ClusterOption[] = [];

/** The clusters as choices of a filter; empty as long as they are not known, too. */
export const useClusterOptions = (): ClusterOption[] => useKnownClusters() ?? NONE;
