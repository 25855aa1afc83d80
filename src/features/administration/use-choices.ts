'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTRPC } from '@/lib/trpc';
import type { Option } from '@/ui/option';
import { usePermissions } from '../shared/use-permissions';

const MOST = 500;

/** The tenants within reach as choices, by name. */
export function useTenantChoices(): Option[] {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.tenants.list.queryOptions({ sort: 'name', limit: MOST }),
    enabled: can('tenant:read'),
  });
  return useMemo(() => data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [], [data]);
}

/** The roles as choices, by title. */
export function useRoleChoices(): Option[] {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.roles.list.queryOptions({ sort: 'title', limit: MOST }),
    enabled: can('role:read'),
  });
  return useMemo(() => data?.items.map(({ id, title }) => ({ value: id, label: title })) ?? [], [data]);
}
