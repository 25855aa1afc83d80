import { z } from 'zod';
import { AccountEmail } from './auth';
import { CurrentPassword, NewPassword, passwordProblem } from './auth-password';
import { USER_SORTS } from './choices';
import { createPageSchema, listInput } from './list';
import { Version } from './tenant';
import { createTimeSchema } from './time';

const UserName = z.string('Enter the name as text.').trim().max(100, 'At most 100 characters.');

/**
 * A role for a user: everywhere with `tenant_id` null, else in that tenant, or in one project of it; until
 * `expires_at`, or permanently.
 */
export const AssignmentInput = z.strictObject({
  role_id: z.uuid('The ID of a role.'),
  tenant_id: z.uuid('The ID of a tenant, or null for all tenants.').nullable().default(null),
  project_id: z.uuid('The ID of a project of this tenant, or null for all projects.').nullable().default(null),
  expires_at: createTimeSchema('2026-12-31T18:00:00Z').nullable().default(null),
});
export type AssignmentInput = z.output<typeof AssignmentInput>;

/** The complete list of a user's roles: roles not listed are unassigned. */
export const AssignmentsInput = z.strictObject({
  assignments: z.array(AssignmentInput, 'A list of roles.').max(200, 'At most 200 roles.'),
  version: Version,
});
export type AssignmentsInput = z.output<typeof AssignmentsInput>;

export const UserInput = z
  .strictObject({
    email: AccountEmail,
    name: UserName.default(''),
    /** Left out: an account that only a sign-in provider lets in. */
    password: NewPassword.optional(),
    assignments: z.array(AssignmentInput, 'A list of roles.').max(200, 'At most 200 roles.').default([]),
  })
  .superRefine(({ email, password }, context) => {
    if (password === undefined) return;
    const problem = passwordProblem(password) === null ? passwordProblem(password, email) : null;
    if (problem) context.addIssue({ code: 'custom', path: ['password'], message: problem });
  });
export type UserInput = z.output<typeof UserInput>;

/** What is left out stays. A new password and `active: false` end all sessions of the user. */
export const UserUpdate = z.strictObject({
  email: AccountEmail.optional(),
  name: UserName.optional(),
  active: z.boolean('One of true, false.').optional(),
  password: NewPassword.optional(),
  /** The current password: required with a new one for the user's own account. */
  current_password: CurrentPassword.optional(),
  /** False: the password does not sign in any more, only a sign-in provider does. */
  password_sign_in: z.boolean('One of true, false.').optional(),
  version: Version,
});
export type UserUpdate = z.output<typeof UserUpdate>;

export const Assignment = z.object({
  id: z.uuid(),
  role_id: z.uuid(),
  role: z.string(),
  role_title: z.string(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  /** Set: it is held for this project of the tenant only. */
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  expires_at: z.string().nullable(),
  /** `oidc`: from a group at the sign-in provider, looked at again whenever the user signs in there. */
  source: z.enum(['manual', 'oidc', 'ldap']),
  /** Its time is over: it gives nothing. */
  expired: z.boolean(),
  created_at: z.string(),
});
export type Assignment = z.output<typeof Assignment>;

export const User = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  active: z.boolean(),
  last_login_at: z.string().nullable(),
  /** Whether there is a password, and whether it signs in. */
  has_password: z.boolean(),
  password_sign_in: z.boolean(),
  /** Since when signing in takes a code; null: no second factor is set up. */
  second_factor_at: z.string().nullable(),
  /** A role that is held now asks for one. */
  second_factor_required: z.boolean(),
  /** Sign-ins that are open now. */
  sessions_total: z.int(),
  assignments: z.array(Assignment),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type User = z.output<typeof User>;

export const UserListInput = listInput(USER_SORTS, {
  active: z
    .union([z.boolean(), z.enum(['true', 'false'], 'One of true, false.').transform((text) => text === 'true')])
    .optional(),
  /** Users who have set up a second factor, or who have not. */
  second_factor: z
    .union([z.boolean(), z.enum(['true', 'false'], 'One of true, false.').transform((text) => text === 'true')])
    .optional(),
  role_id: z.uuid('The ID of a role.').optional(),
  /** Users with a role for this tenant. */
  tenant_id: z.uuid('The ID of a tenant.').optional(),
});
export type UserListInput = z.output<typeof UserListInput>;
export const UserPage = createPageSchema(User);

/** Why a permission counts or does not: what one of the user's roles has to do with it. */
export const AccessReason = z.object({
  assignment_id: z.uuid(),
  role: z.string(),
  role_title: z.string(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  /**
   * `gives`; `expired`; `platform_only`: the role has it, but held for one tenant or project it means nothing; `tenant_only`: held for
   * one project it means nothing.
   */
  effect: z.enum(['gives', 'expired', 'platform_only', 'tenant_only']),
});

/** What a user may do, permission by permission, and where it comes from. */
export const UserAccess = z.object({
  user_id: z.uuid(),
  active: z.boolean(),
  /** A role asks for a second factor that is not set up: until then the account may do nothing else. */
  second_factor_missing: z.boolean(),
  permissions: z.array(
    z.object({
      permission: z.string(),
      /** For what the permission can be held. */
      reach: z.enum(['platform', 'tenant', 'project']),
      /** Everywhere, in the tenants and projects named, or nowhere. An inactive user can do nothing anywhere. */
      granted: z.enum(['all', 'tenants', 'none']),
      tenants: z.array(z.object({ id: z.uuid(), name: z.string() })),
      /** Projects besides those tenants. */
      projects: z.array(z.object({ id: z.uuid(), name: z.string() })),
      reasons: z.array(AccessReason),
      /** The roles with this permission, regardless of who has them: the ones that could be assigned. */
      roles: z.array(z.object({ id: z.uuid(), title: z.string() })),
    }),
  ),
});
export type UserAccess = z.output<typeof UserAccess>;
