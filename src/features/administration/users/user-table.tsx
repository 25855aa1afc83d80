'use client';
import { Users } from 'lucide-react';
import { USER_SORTS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { declareList } from '../../shared/list/declare-list';
import { choiceIn, entity } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { useRoleChoices, useTenantChoices } from '../use-choices';
import { userColumns } from './user-columns';
import { activeText } from './user-labels';

const USERS = declareList({
  from: 'users.list',
  name: 'users',
  label: msg('Users'),
  noun: { one: msg('user'), many: msg('users') },
  search: msg('Search users'),
  sorts: USER_SORTS,
  defaultSort: 'email',
  filters: {
    active: choiceIn(msg('State'), ['true', 'false'], (t, word) => activeText(t, word === 'true')),
    second_factor: choiceIn(msg('Second factor'), ['true', 'false'], (t, word) =>
      t('{set_up, select, true {Set up} other {Not set up}}', { set_up: word }),
    ),
    role_id: entity(msg('Role'), useRoleChoices),
    tenant_id: entity(msg('Tenant'), useTenantChoices),
  },
  columns: userColumns,
  rowId: (user) => user.id,
  rowPath: (user) => paths.user({ userId: user.id }),
  empty: ({ within }) => ({
    icon: <Users />,
    ...('tenant_id' in within
      ? {
          title: msg('No users'),
          text: msg("No user has a role for this tenant only. Assign one on the user's page."),
        }
      : 'role_id' in within
        ? { title: msg('No users'), text: msg("This role is not assigned. Assign it on the user's page.") }
        : { title: msg('No users'), text: msg('No user accounts to show.') }),
  }),
});

/** Users with search and filters; those of one tenant, or with one role, when it is given. */
export function UserTable({ tenantId, roleId }: { tenantId?: string; roleId?: string }) {
  const fixed = { ...(tenantId && { tenant_id: tenantId }), ...(roleId && { role_id: roleId }) };
  const list = useList(USERS, { within: fixed });
  return <ListView of={list} id={tenantId ? 'tenant-users' : roleId ? 'role-users' : 'users'} />;
}
