import { expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { RoleInput } from '@/domain/role';
import { newRoleValues } from './role-drawer';

const named = { title: 'Ours', name: 'ours' };

it.each(Object.entries(BUILT_IN_ROLES))(
  'a role starts as a copy of %s: its permissions under a name of its own',
  (_, role) => {
    const permissions = [...role.permissions];
    const values = newRoleValues({ permissions, requires_second_factor: true });
    expect(values).toMatchObject({ title: '', name: '' });
    const sent = RoleInput.parse({ ...values, ...named });
    expect(sent).toEqual({ ...named, permissions: expect.arrayContaining(permissions), requires_second_factor: true });
    expect(sent.permissions).toHaveLength(permissions.length);
  },
);

it('a role that is no copy starts with nothing', () => {
  expect(newRoleValues()).toEqual({ title: '', name: '', permissions: [], requires_second_factor: false });
});
