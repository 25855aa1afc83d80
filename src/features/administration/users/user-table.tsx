'use client';
import { Users } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { USER_SORTS } from '@/domain/user';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../../shared/list-state';
import { useServerList } from '../../shared/use-server-list';
import { useRoleChoices, useTenantChoices } from '../use-choices';
import { USER_COLUMNS } from './user-columns';

const LIST = {
  sorts: USER_SORTS,
  defaultSort: 'email',
  filters: { active: ['true', 'false'], second_factor: ['true', 'false'], role_id: 'id', tenant_id: 'id' },
} as const;
const FACTORS = [
  { value: 'true', label: 'Set up' },
  { value: 'false', label: 'Not set up' },
];
const STATES = [
  { value: 'true', label: 'Active' },
  { value: 'false', label: 'Deactivated' },
];

/** Users with search and filters; those of one tenant, or with one role, when it is given. */
export function UserTable({ tenantId, roleId }: { tenantId?: string; roleId?: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const roles = useRoleChoices();
  const tenants = useTenantChoices();
  const fixed = { ...(tenantId && { tenant_id: tenantId }), ...(roleId && { role_id: roleId }) };
  const list = useServerList({
    name: 'users',
    columns: USER_COLUMNS,
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
        search={{ label: 'Search users', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'active',
            label: 'State',
            single: true,
            options: STATES,
            value: filters.active ? [filters.active] : [],
            onValueChange: ([value]) =>
              state.setFilter('active', value === 'true' ? 'true' : value === 'false' ? 'false' : null),
          },
          {
            id: 'second_factor',
            label: 'Second factor',
            single: true,
            options: FACTORS,
            value: filters.second_factor ? [filters.second_factor] : [],
            onValueChange: ([value]) =>
              state.setFilter('second_factor', value === 'true' ? 'true' : value === 'false' ? 'false' : null),
          },
          ...(roleId ? [] : [facet('role_id', 'Role', roles)]),
          ...(tenantId ? [] : [facet('tenant_id', 'Tenant', tenants)]),
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id={tenantId ? 'tenant-users' : roleId ? 'role-users' : 'users'}
        label="Users"
        noun={{ one: 'user', many: 'users' }}
        rowId={(user) => user.id}
        onRowOpen={(user) => router.push(paths.user({ userId: user.id }))}
        empty={
          <EmptyState icon={<Users />} title={tenantId || roleId ? 'Nobody' : 'No users'}>
            {tenantId
              ? 'Nobody has a role for this tenant alone. Give one on the page of a user.'
              : roleId
                ? 'Nobody holds this role. Give it on the page of a user.'
                : 'There is no account.'}
          </EmptyState>
        }
      />
    </>
  );
}
