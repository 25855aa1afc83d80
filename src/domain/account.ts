import { z } from 'zod';
import { CurrentPassword, NewPassword } from './auth-password';
import { MAX_TOKEN_DAYS } from './choices';
import { PERMISSIONS } from './permissions';
import { SECOND_FACTORS, SIGN_IN_METHODS } from './second-factor';

/** One of the user's own sign-ins that is not over. */
export const AccountSession = z.object({
  id: z.uuid(),
  /** The one that asks. */
  current: z.boolean(),
  user_agent: z.string().nullable(),
  source_address: z.string().nullable(),
  /** How it began, and what proved a second factor. */
  method: z.enum(SIGN_IN_METHODS),
  second_factor: z.enum(SECOND_FACTORS).nullable(),
  signed_in_at: z.string(),
  /** When its tokens were last renewed: every quarter of an hour while it is used. */
  last_used_at: z.string(),
  expires_at: z.string(),
});
export type AccountSession = z.output<typeof AccountSession>;
export const AccountSessions = z.object({ items: z.array(AccountSession) });

export const PasswordChange = z.strictObject({
  current_password: CurrentPassword,
  new_password: NewPassword,
});
export type PasswordChange = z.output<typeof PasswordChange>;

/** How many of one's sign-ins ended. */
export const EndedSessions = z.object({ ended_sessions: z.int() });

/** A token for programs. It can do what is named here and its owner may do, for as long as both hold. */
export const ApiTokenInput = z.strictObject({
  name: z
    .string('Enter a name as text.')
    .trim()
    .min(1, 'Describe what the token is for.')
    .max(100, 'At most 100 characters.')
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.'),
  permissions: z
    .array(z.enum(PERMISSIONS, `One of ${PERMISSIONS.join(', ')}.`), 'A list of permissions.')
    .min(1, 'Choose at least one permission.')
    .transform((list) => PERMISSIONS.filter((permission) => list.includes(permission))),
  /** Only in this tenant; null: wherever its owner may. */
  tenant_id: z.uuid('The ID of a tenant, or null.').nullable().default(null),
  expires_in_days: z
    .int('A whole number of days.')
    .min(1, 'At least one day.')
    .max(MAX_TOKEN_DAYS, `At most ${MAX_TOKEN_DAYS} days.`)
    .default(90),
});
export type ApiTokenInput = z.output<typeof ApiTokenInput>;

export const ApiToken = z.object({
  id: z.uuid(),
  name: z.string(),
  /** The beginning of the token, to identify it. */
  prefix: z.string(),
  permissions: z.array(z.string()),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
  expired: z.boolean(),
  /** Since when the token is suspended because its owner was deactivated; it is allowed again manually. */
  suspended_at: z.string().nullable(),
  /** To the minute. */
  last_used_at: z.string().nullable(),
  last_used_address: z.string().nullable(),
});
export type ApiToken = z.output<typeof ApiToken>;
export const ApiTokens = z.object({ items: z.array(ApiToken) });

/** The token itself is shown this once. */
export const CreatedApiToken = ApiToken.extend({ token: z.string() });
export type CreatedApiToken = z.output<typeof CreatedApiToken>;
