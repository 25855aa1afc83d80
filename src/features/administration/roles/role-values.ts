import type { Role } from '@/domain/role';

/** What the form of a new role starts with: nothing, or the permissions of another role. */
export const newRoleValues = (from?: Pick<Role, 'permissions' | 'requires_second_factor'>) => ({
  title: '',
  name: '',
  permissions: from?.permissions ?? ([] as string[]),
  requires_second_factor: from?.requires_second_factor ?? false,
});
