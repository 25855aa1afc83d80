import { z } from 'zod';
import type { PROVIDER_PROBLEMS } from './choices';

const line = (what: string, max: number) =>
  z
    .string(`Enter ${what} as text.`)
    .trim()
    .min(1, `Enter ${what}.`)
    .max(max, `At most ${max} characters.`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.');

/** An http(s) address without credentials, query or fragment, without a slash at the end. */
const webAddress = (what: string) =>
  line(what, 500).transform((text, context) => {
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'An address such as https://id.example.org.' });
      return z.NEVER;
    }
    const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    if (!/^https?:$/.test(url.protocol) || !plain) {
      context.addIssue({ code: 'custom', message: 'An address such as https://id.example.org, without a query.' });
      return z.NEVER;
    }
    return text.replace(/\/+$/, '');
  });

/** What makes a scope: `openid`, `offline_access`, `https://example.org/groups`. */
const Scope = z
  .string('Enter scopes as text.')
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'A scope cannot contain spaces.');

/** Members of the group get the role: everywhere with `tenant_id` null, else in that tenant or one project of it. */
export const GroupMapping = z.strictObject({
  group: line('the group', 256),
  role_id: z.uuid('The ID of a role.'),
  tenant_id: z.uuid('The ID of a tenant, or null for all tenants.').nullable().default(null),
  project_id: z.uuid('The ID of a project of this tenant, or null for all projects.').nullable().default(null),
});
export type GroupMapping = z.output<typeof GroupMapping>;

/** The sign-in provider (OpenID Connect). `issuer` is exactly what the provider calls itself, a slash at its end included. */
export const SignInProviderInput = z.strictObject({
  enabled: z.boolean('One of true, false.'),
  /** What the button says after "Sign in with". */
  label: line('a name', 60),
  issuer: line('the issuer', 500).refine((text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
  }, 'An address such as https://id.example.org/realms/staff, without a query.'),
  client_id: line('the client ID', 300),
  /** Left out: the stored one stays. Null: a public client without secret. */
  client_secret: z.string('Enter the secret as text.').min(1, 'Enter the secret.').max(1000).nullable().optional(),
  scopes: z
    .array(Scope, 'A list of scopes.')
    .max(20, 'At most 20 scopes.')
    .transform((given) => [...new Set(['openid', ...given])]),
  /** Where the groups are: a claim's name, or a path such as `realm_access.roles`. */
  group_claim: line('the claim', 200),
  /** The address under which people open this service. */
  public_url: webAddress('the address of this service'),
  /** Create an account for a user who signs in for the first time. */
  create_users: z.boolean('One of true, false.'),
  /** Let the owner of an account's verified email address sign in to it, if no provider account is linked to it yet. */
  link_by_email: z.boolean('One of true, false.'),
  /** The provider asks for a second factor; then this service does not. */
  trusts_second_factor: z.boolean('One of true, false.'),
  /** Signing out of this service leads to the provider, to sign out there as well. Left out: as it is stored, false at first. */
  sign_out_at_provider: z.boolean('One of true, false.').optional(),
  mappings: z
    .array(GroupMapping, 'A list of groups and roles.')
    .max(500, 'At most 500 groups.')
    .superRefine((mappings, context) => {
      const seen = new Set<string>();
      for (const [index, { group, role_id, tenant_id, project_id }] of mappings.entries()) {
        const key = JSON.stringify([group, role_id, tenant_id, project_id]);
        if (seen.has(key)) context.addIssue({ code: 'custom', path: [index], message: 'This is listed twice.' });
        seen.add(key);
      }
    }),
  version: z.int('The version that you last read.').min(0).optional(),
});
export type SignInProviderInput = z.output<typeof SignInProviderInput>;

export const SignInProvider = z.object({
  /** False: nothing is stored, the rest are defaults. */
  configured: z.boolean(),
  enabled: z.boolean(),
  label: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  has_client_secret: z.boolean(),
  scopes: z.array(z.string()),
  group_claim: z.string(),
  public_url: z.string(),
  create_users: z.boolean(),
  link_by_email: z.boolean(),
  trusts_second_factor: z.boolean(),
  sign_out_at_provider: z.boolean(),
  mappings: z.array(
    z.object({
      group: z.string(),
      role_id: z.uuid(),
      role_title: z.string(),
      tenant_id: z.uuid().nullable(),
      tenant_name: z.string().nullable(),
      project_id: z.uuid().nullable(),
      project_name: z.string().nullable(),
    }),
  ),
  version: z.int(),
  updated_at: z.string().nullable(),
});
export type SignInProvider = z.output<typeof SignInProvider>;

export const ProviderCheckInput = z.strictObject({ issuer: SignInProviderInput.shape.issuer });
/** What the provider reports about itself. */
export const ProviderCheck = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string().nullable(),
  scopes_supported: z.array(z.string()).nullable(),
  claims_supported: z.array(z.string()).nullable(),
  /** The provider's sign-out address; null: none, or an address that users are not redirected to. */
  end_session_endpoint: z.string().nullable(),
  /** Whether it announces PKCE with SHA-256; null: not specified. */
  pkce: z.boolean().nullable(),
});
export type ProviderCheck = z.output<typeof ProviderCheck>;

/**
 * How signing out ended: here alone because the sign-in was of this service (`none`) or because the provider cannot
 * be notified (`kept`, its session continues), or with `provider_url` to go to, where it ends at the provider
 * (`ends`).
 */
export const SignedOut = z.object({
  provider_session: z.enum(['none', 'kept', 'ends']),
  provider_url: z.string().nullable(),
});
export type SignedOut = z.output<typeof SignedOut>;

/** Ways to sign in here; anyone may know them. */
export const SignInMethods = z.object({ oidc: z.object({ label: z.string() }).nullable() });
export type SignInMethods = z.output<typeof SignInMethods>;

export type ProviderProblem = (typeof PROVIDER_PROBLEMS)[number];

/** An account at the provider that belongs to a user here. */
export const UserIdentity = z.object({
  id: z.uuid(),
  issuer: z.string(),
  subject: z.string(),
  /** As the provider said it last. */
  email: z.string().nullable(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export type UserIdentity = z.output<typeof UserIdentity>;
export const UserIdentities = z.object({ items: z.array(UserIdentity) });
