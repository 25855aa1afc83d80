import { z } from 'zod';
import { parseIp } from './net/ip-address';
import { SignInProvider, SignInProviderInput } from './sign-in-provider';

/** How connections are protected: TLS from the first byte, TLS before anything is sent, or not at all (loopback only). */
export const DIRECTORY_SECURITY = ['ldaps', 'starttls', 'none'] as const;
/** Where groups are read: the attribute of the user, or a search. */
export const GROUP_SOURCES = ['member_of', 'search'] as const;

const line = (what: string, max: number) =>
  z
    .string(`Enter ${what} as text.`)
    .trim()
    .min(1, `Enter ${what}.`)
    .max(max, `At most ${max} characters.`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.');

const Attribute = line('an attribute', 100).regex(
  /^[A-Za-z][A-Za-z0-9;-]*$/,
  'The name of an attribute, such as mail. Letters, digits and hyphens.',
);
const Filter = line('a filter', 1000).regex(/^\(.*\)$/, 'A filter in parentheses, such as (uid={user}).');

const isLoopback = (host: string) => {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (parseIp(bare)?.family === 4 && bare.startsWith('127.'));
};

const ServerUrl = line('the URL of a server', 300).refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, pathname, search, hash, hostname } = new URL(text);
  return /^ldaps?:$/.test(protocol) && hostname !== '' && username === '' && /^\/?$/.test(pathname) && !search && !hash;
}, 'A URL such as ldaps://ldap.example.org, without a path.');

const Certificates = z
  .string('Enter the certificates as text.')
  .trim()
  .max(50_000, 'At most 50000 characters.')
  .regex(/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----$/, 'Certificates in PEM format.')
  .nullable();

/** A directory (LDAP, Active Directory) whose accounts sign in here, and the roles that its groups assign. */
const Fields = z.strictObject({
  enabled: z.boolean('One of true, false.'),
  /** Tried in this order. */
  urls: z.array(ServerUrl, 'A list of URLs.').min(1, 'Enter the URL of a server.').max(5, 'At most 5 servers.'),
  security: z.enum(DIRECTORY_SECURITY, `One of ${DIRECTORY_SECURITY.join(', ')}.`),
  /** Authorities that signed the certificates of the servers; null: those of the system. */
  ca_certificate: Certificates,
  bind_dn: line('the bind DN', 500),
  /** Left out: the stored one stays. */
  bind_password: z.string('Enter the password as text.').min(1, 'Enter the password.').max(1000).optional(),
  base_dn: line('the base DN', 500),
  /** `{user}` is what was entered at sign-in, escaped. */
  user_filter: Filter.refine((text) => text.includes('{user}'), 'The filter needs {user}.'),
  /** What never changes about a user: `entryUUID`, of Active Directory `objectGUID`. */
  id_attribute: Attribute,
  name_attribute: Attribute,
  email_attribute: Attribute,
  group_source: z.enum(GROUP_SOURCES, `One of ${GROUP_SOURCES.join(', ')}.`),
  /** Groups elsewhere do not count. */
  group_base_dn: line('the base DN of groups', 500),
  /** For `search`: `{dn}` is the DN of the user or group, `{user}` what the user last entered at sign-in, escaped. */
  group_filter: Filter.refine((text) => /\{(dn|user)\}/.test(text), 'The filter needs {dn} or {user}.'),
  /** Groups of groups count, too. */
  nested_groups: z.boolean('One of true, false.'),
  /** Accounts that match it are disabled. */
  disabled_filter: Filter.nullable(),
  /** Only members of a mapped group get in. */
  require_group: z.boolean('One of true, false.'),
  mappings: SignInProviderInput.shape.mappings,
  version: z.int('The version that you last read.').min(0).optional(),
});

const checkUrls = (
  { urls, security }: Pick<z.output<typeof Fields>, 'urls' | 'security'>,
  context: z.core.$RefinementCtx,
) => {
  for (const [index, text] of urls.entries()) {
    const { protocol, hostname } = new URL(text);
    const fits = (protocol === 'ldaps:') === (security === 'ldaps');
    const message = fits
      ? security === 'none' && !isLoopback(hostname)
        ? 'Without TLS only servers on this machine (loopback) are allowed.'
        : null
      : `Use ${security === 'ldaps' ? 'ldaps://' : 'ldap://'} for this kind of connection.`;
    if (message !== null) context.addIssue({ code: 'custom', path: ['urls', index], message });
  }
};

export const DirectoryInput = Fields.superRefine(checkUrls);
export type DirectoryInput = z.output<typeof DirectoryInput>;

export const Directory = Fields.omit({ bind_password: true, version: true, urls: true, mappings: true }).extend({
  /** False: nothing is stored, the rest are defaults. */
  configured: z.boolean(),
  urls: z.array(z.string()),
  has_bind_password: z.boolean(),
  bind_dn: z.string(),
  base_dn: z.string(),
  user_filter: z.string(),
  group_base_dn: z.string(),
  group_filter: z.string(),
  mappings: SignInProvider.shape.mappings,
  version: z.int(),
  updated_at: z.string().nullable(),
});
export type Directory = z.output<typeof Directory>;

/** Settings as they are in the form, and the name of a user to look up. No one is signed in, and nothing is stored. */
export const DirectoryCheckInput = Fields.extend({ user: line('a user name', 254) }).superRefine(checkUrls);
export type DirectoryCheckInput = z.output<typeof DirectoryCheckInput>;

/** What a lookup found. `user` is null when there is no such account. */
export const DirectoryCheck = z.object({
  server: z.string(),
  encrypted: z.boolean(),
  user: z
    .object({
      dn: z.string(),
      id: z.string(),
      name: z.string().nullable(),
      email: z.string().nullable(),
      disabled: z.boolean(),
      groups: z.array(z.object({ dn: z.string(), name: z.string() })),
      /** Titles of roles that the groups would assign. */
      roles: z.array(z.string()),
    })
    .nullable(),
});
export type DirectoryCheck = z.output<typeof DirectoryCheck>;
