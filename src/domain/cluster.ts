import { z } from 'zod';
import { CLUSTER_SORTS, RULE_PLACEMENTS, RUN_STATUSES, SYNC_STAGES, SYNC_STATUSES } from './choices';
import { createPageSchema, listInput } from './list';
import { parseApiUrl } from './net/url';

export type SyncStatus = (typeof SYNC_STATUSES)[number];

const ClusterName = z
  .string({ error: 'A name.' })
  .trim()
  .min(1, 'A name of 1 to 64 characters.')
  .max(64, 'A name of 1 to 64 characters.')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'Printable characters only.');

const ApiAddress = z
  .string({ error: 'An address such as https://pve1.example.org:8006.' })
  .max(300, 'At most 300 characters.')
  .transform((text, context) => {
    const parsed = parseApiUrl(text);
    if (!('reason' in parsed)) return parsed.url;
    context.addIssue({ code: 'custom', message: `${parsed.reason}.` });
    return z.NEVER;
  });

// The parts' characters are those of the hypervisor; everything after the first `=` behind the token's name is secret.
const TOKEN = /^[^\s:/;%]+@[A-Za-z][A-Za-z0-9._-]+![A-Za-z][A-Za-z0-9._-]+=[\x21-\x3a\x3c-\x7e]+$/;

const ApiToken = z
  .string({ error: 'An API token.' })
  .trim()
  .max(512, 'At most 512 characters.')
  .transform((text) => text.replace(/^PVEAPIToken[= ]/, ''))
  .refine((text) => TOKEN.test(text), 'Enter the token as user@realm!name=secret, as shown when it was created.');

/** SHA-256 of a certificate with or without colons, in the form in which it is stored: `AA:BB:…`. */
const Fingerprint = z
  .string({ error: 'A SHA-256 fingerprint.' })
  .trim()
  .transform((text) => text.replaceAll(':', '').toUpperCase())
  .refine((hex) => /^[0-9A-F]{64}$/.test(hex), 'Enter the SHA-256 fingerprint: 32 pairs of hexadecimal digits.')
  .transform((hex) => hex.replace(/..(?=.)/g, '$&:'));

const fields = {
  name: ClusterName,
  api_url: ApiAddress,
  api_token: ApiToken,
  tls_fingerprint: Fingerprint.nullable(),
  rule_placement: z.enum(RULE_PLACEMENTS, { error: 'One of above, below.' }),
};

/** What is needed to add a cluster. */
export const ClusterInput = z.strictObject({
  ...fields,
  tls_fingerprint: fields.tls_fingerprint.default(null),
  rule_placement: fields.rule_placement.default('above'),
});
export type ClusterInput = z.output<typeof ClusterInput>;

/** What is left out stays as it is. `version` is the one that was read: when it is no longer current, nothing is changed. */
export const ClusterUpdate = z.strictObject({ ...fields, version: z.int().min(1) }).partial();
export type ClusterUpdate = z.output<typeof ClusterUpdate>;

/**
 * Access to be tested. With `cluster_id`, the stored token replaces a missing one, but only at the stored address:
 * another address could collect the token.
 */
export const ClusterCheckInput = z
  .strictObject({
    cluster_id: z.uuid(),
    name: ClusterName,
    api_url: ApiAddress,
    api_token: ApiToken,
    tls_fingerprint: fields.tls_fingerprint,
    rule_placement: fields.rule_placement,
  })
  .partial()
  .refine((input) => input.api_url !== undefined || input.cluster_id !== undefined, {
    path: ['api_url'],
    message: 'Specify the address to check, or the cluster_id of a stored cluster.',
  });
export type ClusterCheckInput = z.output<typeof ClusterCheckInput>;

export const ClusterCheckReport = z.object({
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['ok', 'warning', 'failed', 'unknown']),
      detail: z.string(),
      remedy: z.string().nullable(),
    }),
  ),
  fingerprint: z.string().nullable(),
  version: z.string().nullable(),
  cluster_name: z.string().nullable(),
});
export type ClusterCheckReport = z.output<typeof ClusterCheckReport>;

/** How many things hang off a cluster, and go with it when it is deleted. */
export const ClusterCounts = z.object({
  nodes: z.int(),
  workloads: z.int(),
  networks: z.int(),
  subnets: z.int(),
  ip_addresses: z.int(),
});
export type ClusterCounts = z.output<typeof ClusterCounts>;

export const Cluster = z.object({
  id: z.uuid(),
  name: z.string(),
  api_url: z.string(),
  has_api_token: z.boolean(),
  tls_fingerprint: z.string().nullable(),
  rule_placement: z.enum(RULE_PLACEMENTS),
  provider_version: z.string().nullable(),
  provider_name: z.string().nullable(),
  /** Null means that it could not be read, which is not the same as no. */
  quorate: z.boolean().nullable(),
  firewall_enabled: z.boolean().nullable(),
  /** What the token lacks to apply policies, as of the last sync: not empty means read-only. Null: not known. */
  missing_write_privileges: z.array(z.string()).nullable(),
  sync_status: z.enum(SYNC_STATUSES),
  last_sync_at: z.string().nullable(),
  last_sync_error: z.string().nullable(),
  last_sync_error_code: z.string().nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  counts: ClusterCounts,
  /** The sync that waits or runs now. */
  active_run: z
    .object({
      id: z.uuid(),
      status: z.enum(RUN_STATUSES),
      stage: z.enum(SYNC_STAGES).nullable(),
      progress_done: z.int(),
      progress_total: z.int().nullable(),
    })
    .nullable(),
});
export type Cluster = z.output<typeof Cluster>;

export const ClusterListInput = listInput(CLUSTER_SORTS, { sync_status: z.enum(SYNC_STATUSES).optional() });
export type ClusterListInput = z.output<typeof ClusterListInput>;
export const ClusterPage = createPageSchema(Cluster);
