'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Permission, reachOf, tenantsOf } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import type { Option } from '@/ui/option';
import { projectOptions } from './project-options';
import { usePermissions } from './use-permissions';

const MOST = 500;

/** The projects of a tenant that something may belong to, as choices; empty when there is nothing to choose. */
export function useProjectOptions(permission: Permission, tenantId: string | null | undefined): Option[] {
  const t = useT();
  const trpc = useTRPC();
  const state = useSession();
  const { can } = usePermissions();
  const grants = state.status === 'signed_in' ? state.user.grants : null;
  const tenants = grants ? tenantsOf(reachOf(grants, permission)) : [];
  // A user who acts for one tenant alone did not have to choose it.
  const only = tenants !== 'all' && tenants.length === 1 ? (tenants[0] ?? null) : null;
  const tenant = tenantId === undefined ? only : tenantId;
  const { data } = useQuery({
    ...trpc.projects.list.queryOptions({ sort: 'name', limit: MOST, ...(tenant && { tenant_id: tenant }) }),
    enabled: tenant !== null && can('project:read'),
  });
  return useMemo(
    () => (grants ? projectOptions(t, grants, permission, tenant, data?.items ?? []) : []),
    [t, grants, permission, tenant, data],
  );
}

/** Projects within reach by name, for the filter of a list. */
export function useProjectFacet(): Option[] {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.projects.list.queryOptions({ sort: 'name', limit: MOST }),
    enabled: can('project:read'),
  });
  return useMemo(
    () => data?.items.map(({ id, name, tenant_name }) => ({ value: id, label: name, description: tenant_name })) ?? [],
    [data],
  );
}
