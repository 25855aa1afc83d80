import { z } from 'zod';
import type { BUILT_IN_ROLES } from './permissions';

/** Trimmed and lower-cased, and nothing more: an account may be named by something that is no mail address. */
export const AccountEmail = z
  .string('Enter the email address as text.')
  .normalize('NFC')
  .trim()
  .toLowerCase()
  .min(1, 'Enter an email address.')
  .max(254, 'At most 254 characters.');

export const LoginInput = z.strictObject({
  email: AccountEmail,
  // No rule beyond a bound: whatever was once accepted as a password must be accepted here.
  password: z.string('Enter the password as text.').min(1, 'Enter the password.').max(1024, 'At most 1024 characters.'),
});
export type LoginInput = z.infer<typeof LoginInput>;

/** Fabric's refresh tokens are far shorter; the bound rejects nonsense. */
const RefreshToken = z.string('Send the refresh token as text.').min(1).max(4096, 'This is not a refresh token.');

/** API clients send the refresh token; browsers leave it out and send their cookie. */
export const RefreshInput = z.strictObject({ refresh_token: RefreshToken.optional() });
export type RefreshInput = z.infer<typeof RefreshInput>;

/** A role held by the signed-in user; `tenant_id` null means platform-wide. */
export const HeldRole = z.object({
  role: z.string(),
  title: z.string(),
  tenant_id: z.uuid().nullable(),
  /** Set: it is held for this project of the tenant only. */
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  permissions: z.array(z.string()),
});

/** The signed-in user: what they may do (anywhere), and where. */
export const CurrentUser = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  /** A role asks for a second factor: nothing is permitted until it is set up. */
  must_enrol: z.boolean(),
  /** Every permission that is effective somewhere; `*` for a super administrator. */
  permissions: z.array(z.string()),
  /** Roles as held; `computeReach(grants, permission)` returns the tenants for which a permission counts. */
  grants: z.array(HeldRole),
  /** Tenants the user can work in, by name; at most 1000. */
  tenants: z.array(z.object({ id: z.uuid(), name: z.string() })),
  /** A role is held platform-wide, so the user can work in every tenant. */
  all_tenants: z.boolean(),
});
export type CurrentUser = z.infer<typeof CurrentUser>;

/** What sign-in and refresh answer. `refresh_token` is missing when the refresh token came, and goes, as a cookie. */
export const SignedIn = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  token_type: z.literal('Bearer'),
  /** Seconds until the access token expires. */
  expires_in: z.int(),
  user: CurrentUser,
});
export type SignedIn = z.infer<typeof SignedIn>;

/** The role the first user gets. */
export const FIRST_USER_ROLE = 'super_admin' satisfies keyof typeof BUILT_IN_ROLES;
