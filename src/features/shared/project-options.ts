'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  computeReach,
  getReachableProjects,
  getReachableTenants,
  type Permission,
  type RoleGrant,
} from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import type { Option } from '@/ui/option';
import { usePermissions } from './use-permissions';

/** In place of an id for what belongs to a whole tenant. */
export const WHOLE_TENANT = 'none';

type Grant = RoleGrant & { readonly project_name: string | null };

/** What of a tenant something may belong to: the whole tenant, or one of its projects. Empty when there is nothing to choose. */
export function projectOptions(
  t: Translate,
  grants: readonly Grant[],
  permission: Permission,
  tenantId: string | null,
  projects: readonly { id: string; name: string; tenant_id: string }[],
): Option[] {
  const reach = computeReach(grants, permission);
  const tenants = getReachableTenants(reach);
  const whole = tenantId !== null && (tenants === 'all' || tenants.includes(tenantId));
  const single = new Map(grants.map(({ project_id, project_name }) => [project_id, project_name]));
  const options = whole
    ? [
        { value: WHOLE_TENANT, label: t('Whole tenant') },
        ...projects.filter((one) => one.tenant_id === tenantId).map(({ id, name }) => ({ value: id, label: name })),
      ]
    : getReachableProjects(reach)
        .filter((id) => tenantId === null || grants.some((one) => one.project_id === id && one.tenant_id === tenantId))
        .map((id) => ({ value: id, label: single.get(id) ?? id }))
        .sort((a, b) => a.label.localeCompare(b.label));
  return options.length > 1 ? options : [];
}

/** `project_id` as it is sent: left out when there was nothing to choose. */
export const toProjectId = (choice: string | null): { project_id?: string | null } =>
  choice === null ? {} : { project_id: choice === WHOLE_TENANT ? null : choice };

const MOST = 500;

/** The projects of a tenant that something may belong to, as choices; empty when there is nothing to choose. */
export function useProjectOptions(permission: Permission, tenantId: string | null | undefined): Option[] {
  const t = useT();
  const trpc = useTRPC();
  const state = useSession();
  const { can } = usePermissions();
  const grants = state.status === 'signed_in' ? state.user.grants : null;
  const tenants = grants ? getReachableTenants(computeReach(grants, permission)) : [];
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
