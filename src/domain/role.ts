import { z } from 'zod';
import { createPageSchema, listInput } from './list';
import { type Grantable, PERMISSIONS } from './permissions';
import { DisplayName, Version } from './tenant';

const GRANTABLE = [...PERMISSIONS, '*'] as const satisfies readonly Grantable[];

/** Each permission once, in the order of the table; `*` takes the place of all others. */
const PermissionSet = z
  .array(z.enum(GRANTABLE, 'A permission such as policy:read, or *.'), 'A list of permissions.')
  .transform((given): Grantable[] => (given.includes('*') ? ['*'] : PERMISSIONS.filter((one) => given.includes(one))));

export const RoleInput = z.strictObject({
  name: z
    .string('Enter the name as text.')
    .trim()
    .regex(
      /^[a-z][a-z0-9_]{1,62}$/,
      'A short name: a letter, then letters, digits and _; 2 to 63 characters in total.',
    ),
  title: DisplayName,
  permissions: PermissionSet,
  /** Users with this role must set up a second factor before anything else. */
  requires_second_factor: z.boolean('One of true, false.').default(false),
});
export type RoleInput = z.output<typeof RoleInput>;

/** The name of a role stays; what people read is its title. Of a built-in role only `requires_second_factor` changes. */
export const RoleUpdate = z.strictObject({
  title: DisplayName.optional(),
  permissions: PermissionSet.optional(),
  requires_second_factor: z.boolean('One of true, false.').optional(),
  version: Version,
});
export type RoleUpdate = z.output<typeof RoleUpdate>;

export const Role = z.object({
  id: z.uuid(),
  name: z.string(),
  title: z.string(),
  permissions: z.array(z.string()),
  requires_second_factor: z.boolean(),
  /** Part of every installation: it cannot be deleted, and only `requires_second_factor` can be changed. */
  built_in: z.boolean(),
  /** Users who hold it anywhere, expired assignments not counted. */
  users_total: z.int(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Role = z.output<typeof Role>;

export const ROLE_SORTS = ['name', 'title', 'created_at'] as const;
export const RoleListInput = listInput(ROLE_SORTS, {
  built_in: z
    .union([z.boolean(), z.enum(['true', 'false'], 'One of true, false.').transform((text) => text === 'true')])
    .optional(),
});
export type RoleListInput = z.output<typeof RoleListInput>;
export const RolePage = createPageSchema(Role);
