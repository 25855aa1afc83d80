'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import type { Option } from '@/ui/option';
import { usePermissions } from '../shared/use-permissions';

const MOST = 500;

/** The tenants visible to the user as choices, by name. */
export function useTenantChoices(): Option[] {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.tenants.list.queryOptions({ sort: 'name', limit: MOST }),
    enabled: can('tenant:read'),
  });
  return useMemo(() => data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [], [data]);
}

/** Where a role can count: the installation, each tenant followed by its projects. */
export function useRolePlaces(): Option[] {
  const t = useT();
  const trpc = useTRPC();
  const { can } = usePermissions();
  const tenants = useTenantChoices();
  const { data } = useQuery({
    ...trpc.projects.list.queryOptions({ sort: 'name', limit: MOST }),
    enabled: can('project:read'),
  });
  return useMemo(() => {
    const projects = data?.items ?? [];
    return [
      { value: EVERYWHERE, label: t('Whole installation') },
      ...tenants.flatMap((tenant) => [
        tenant,
        ...projects
          .filter(({ tenant_id }) => tenant_id === tenant.value)
          .map(({ id, name, tenant_id }) => ({
            value: placeValue({ tenant_id, project_id: id }),
            label: t('{project} in {tenant}', { project: name, tenant: tenant.label }),
            description: t('One project'),
          })),
      ]),
    ];
  }, [t, tenants, data]);
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

/** In place of an id: the whole installation. */
export const EVERYWHERE = 'everywhere';

type Place = { tenant_id: string | null; project_id: string | null };

/** Where a role counts, as the value of one choice: the installation, a tenant, or `tenant/project`. */
export const placeValue = ({ tenant_id, project_id }: Place): string =>
  tenant_id === null ? EVERYWHERE : project_id === null ? tenant_id : `${tenant_id}/${project_id}`;

/** The place that a choice means. No choice is no place: an empty id, which no form accepts. */
export function parsePlace(value: string | null): Place {
  if (value === EVERYWHERE) return { tenant_id: null, project_id: null };
  const [tenant_id = '', project_id = null] = (value ?? '').split('/');
  return { tenant_id, project_id };
}
