'use client';
import { Users } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { USER_SORTS } from '@/domain/user';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../../shared/list-state';
import { useServerList } from '../../shared/use-server-list';
import { useRoleChoices, useTenantChoices } from '../use-choices';
import { activeText } from './active-text';
import { userColumns } from './user-columns';

const LIST = {
  sorts: USER_SORTS,
  defaultSort: 'email',
  filters: { active: ['true', 'false'], second_factor: ['true', 'false'], role_id: 'id', tenant_id: 'id' },
} as const;

/** Users with search and filters; those of one tenant, or with one role, when it is given. */
export function UserTable({ tenantId, roleId }: { tenantId?: string; roleId?: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const roles = useRoleChoices();
  const tenants = useTenantChoices();
  const fixed = { ...(tenantId && { tenant_id: tenantId }), ...(roleId && { role_id: roleId }) };
  const columns = useMemo(() => userColumns(t), [t]);
  const list = useServerList({
    name: 'users',
    columns,
    state,
    pathKey: trpc.users.list.pathKey(),
    fixed,
    fetchPage: (page, signal) => client.users.list.query({ ...state.input, ...fixed, ...page }, { signal }),
  });
  const facet = (id: 'role_id' | 'tenant_id', label: string, options: typeof roles) => ({
    id,
    label,
    single: true,
    options,
    value: filters[id] ? [filters[id]] : [],
    onValueChange: ([value]: string[]) => state.setFilter(id, value ?? null),
  });
  return (
    <>
      <FilterBar
        search={{ label: t('Search users'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'active',
            label: t('State'),
            single: true,
            options: [true, false].map((active) => ({ value: String(active), label: activeText(t, active) })),
            value: filters.active ? [filters.active] : [],
            onValueChange: ([value]) =>
              state.setFilter('active', value === 'true' ? 'true' : value === 'false' ? 'false' : null),
          },
          {
            id: 'second_factor',
            label: t('Second factor'),
            single: true,
            options: ['true', 'false'].map((value) => ({
              value,
              label: t('{set_up, select, true {Set up} other {Not set up}}', { set_up: value }),
            })),
            value: filters.second_factor ? [filters.second_factor] : [],
            onValueChange: ([value]) =>
              state.setFilter('second_factor', value === 'true' ? 'true' : value === 'false' ? 'false' : null),
          },
          ...(roleId ? [] : [facet('role_id', t('Role'), roles)]),
          ...(tenantId ? [] : [facet('tenant_id', t('Tenant'), tenants)]),
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id={tenantId ? 'tenant-users' : roleId ? 'role-users' : 'users'}
        label={t('Users')}
        noun={{ one: t('user'), many: t('users') }}
        rowId={(user) => user.id}
        onRowOpen={(user) => router.push(paths.user({ userId: user.id }))}
        empty={
          <EmptyState icon={<Users />} title={tenantId || roleId ? t('Nobody') : t('No users')}>
            {tenantId
              ? t('Nobody has a role for this tenant alone. Give one on the page of a user.')
              : roleId
                ? t('Nobody holds this role. Give it on the page of a user.')
                : t('There is no account.')}
          </EmptyState>
        }
      />
    </>
  );
}
