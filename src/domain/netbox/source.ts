import { z } from 'zod';
import { NETBOX_SOURCE_SORTS } from '../choices';
import { VlanTag } from '../ipam/fields';
import { createPageSchema, listInput } from '../list';
import { parseHttpUrl } from '../net/url';
import { DisplayName, Version } from '../tenant';

/** The address of NetBox as people copy it, with or without the `/api/` behind it. */
const BaseUrl = z
  .string('Enter the URL as text.')
  .trim()
  .max(2000, 'At most 2000 characters.')
  .transform((text, ctx) => {
    const url = parseHttpUrl(text);
    if (url && url.search === '') return url.href.replace(/\/+$/, '').replace(/\/api$/, '');
    ctx.addIssue('An http:// or https:// URL without user name, password and query.');
    return z.NEVER;
  });
const Token = z
  .string('Enter the token as text.')
  .trim()
  .min(1, 'Enter a token.')
  .max(400, 'At most 400 characters.')
  .regex(/^[\x21-\x7e]*$/, 'One line of ASCII characters without spaces.');
const Certificates = z
  .string('Enter the certificates as text.')
  .trim()
  .max(60_000, 'At most 60000 characters.')
  .regex(/^(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/, 'Certificates as PEM.');
const Slug = z
  .string('Enter the slug as text.')
  .trim()
  .regex(/^[-\w]{1,100}$/, 'A slug, such as my-tenant.');

/** Where prefixes and addresses of a VRF belong. */
export const NetboxNetwork = z.strictObject({
  /** Name of the VRF; empty: the global table. */
  vrf: z.string('Enter the VRF as text.').trim().max(100, 'At most 100 characters.').default(''),
  /** Only prefixes of this VLAN; null: those of every other VLAN, and of none. */
  vlan: VlanTag.nullable().default(null),
  network_id: z.uuid('Choose a network.'),
});
export type NetboxNetwork = z.output<typeof NetboxNetwork>;

/** Which Fabric tenant a NetBox tenant is. */
const TenantMatch = z.strictObject({ slug: Slug, tenant_id: z.uuid('Choose a tenant.') });
/** The group whose members are the workloads that hold addresses with this tag. */
const TagGroup = z.strictObject({ tag: Slug, security_group_id: z.uuid('Choose a group.') });

const MAX_MATCHES = 100;
const unique = <T>(list: readonly T[], key: (one: T) => string) => new Set(list.map(key)).size === list.length;

const Networks = z
  .array(NetboxNetwork, 'A list of networks.')
  .min(1, 'Add at least one network.')
  .max(MAX_MATCHES, `At most ${MAX_MATCHES} networks.`)
  .refine((list) => unique(list, ({ vrf, vlan }) => `${vlan} ${vrf}`), 'Each VRF and VLAN at most once.');
const Tenants = z
  .array(TenantMatch, 'A list of tenants.')
  .max(MAX_MATCHES, `At most ${MAX_MATCHES} tenants.`)
  .refine((list) => unique(list, ({ slug }) => slug), 'Each tenant at most once.');
const Groups = z
  .array(TagGroup, 'A list of groups.')
  .max(MAX_MATCHES, `At most ${MAX_MATCHES} groups.`)
  .refine((list) => unique(list, (one) => `${one.tag} ${one.security_group_id}`), 'Each tag and group at most once.');

export const NetboxSourceInput = z.strictObject({
  name: DisplayName,
  url: BaseUrl,
  /** Stored encrypted and never shown. */
  token: Token,
  /** Certificate authorities that are trusted instead of those of the system. */
  ca_certificates: Certificates.nullable().default(null),
  /** Only objects of this NetBox tenant (slug). */
  filter_tenant: Slug.nullable().default(null),
  /** Only objects with this tag (slug). */
  filter_tag: Slug.nullable().default(null),
  networks: Networks,
  tenants: Tenants.default([]),
  groups: Groups.default([]),
});
export type NetboxSourceInput = z.output<typeof NetboxSourceInput>;

/** Omitted fields stay. Another server needs the token again. */
export const NetboxSourceUpdate = z.strictObject({
  name: DisplayName.optional(),
  url: BaseUrl.optional(),
  token: Token.optional(),
  ca_certificates: Certificates.nullable().optional(),
  filter_tenant: Slug.nullable().optional(),
  filter_tag: Slug.nullable().optional(),
  networks: Networks.optional(),
  tenants: Tenants.optional(),
  groups: Groups.optional(),
  version: Version,
});
export type NetboxSourceUpdate = z.output<typeof NetboxSourceUpdate>;

/** A NetBox that is read. Its token is never shown again. */
export const NetboxSource = z.object({
  id: z.uuid(),
  name: z.string(),
  url: z.string(),
  ca_certificates: z.string().nullable(),
  filter_tenant: z.string().nullable(),
  filter_tag: z.string().nullable(),
  /** Names are null when the network was deleted. */
  networks: z.array(NetboxNetwork.extend({ network_name: z.string().nullable() })),
  tenants: z.array(TenantMatch),
  groups: z.array(TagGroup.extend({ security_group_name: z.string().nullable() })),
  /** When changes of it were last written. */
  last_import_at: z.string().nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type NetboxSource = z.output<typeof NetboxSource>;

export const NetboxSourceListInput = listInput(NETBOX_SOURCE_SORTS, {});
export type NetboxSourceListInput = z.output<typeof NetboxSourceListInput>;
export const NetboxSourcePage = createPageSchema(NetboxSource);

/** Without `preview_id` a preview, which writes nothing. With it, what that preview listed is written. */
export const NetboxImportInput = z.strictObject({
  preview_id: z.uuid('The ID of a preview of this source.').optional(),
  /** Lines of conflicts of the preview that are written as well. */
  overwrite: z.array(z.int().min(1), 'A list of line numbers.').max(20_000, 'At most 20000 lines.').default([]),
  /** All conflicts that the preview listed are written as well. */
  overwrite_all: z.boolean('One of true, false.').default(false),
});
export type NetboxImportInput = z.output<typeof NetboxImportInput>;
