'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTRPC } from '@/lib/trpc';
import { usePermissions } from './use-permissions';

/** The clusters as choices of a filter, by name; empty for those who may not see clusters. */
export function useClusterOptions(): { value: string; label: string }[] {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.clusters.list.queryOptions({ sort: 'name', limit: 500 }),
    enabled: can('cluster:read'),
  });
  return useMemo(() => data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [], [data]);
}
