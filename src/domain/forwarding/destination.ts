import { z } from 'zod';
import {
  FORWARDING_KINDS,
  FORWARDING_SORTS,
  FORWARDING_STREAMS,
  FORWARDING_TRANSPORTS,
  FORWARDING_WAIT_HOURS,
  IPFIX_BYTES,
  SYSLOG_BYTES,
} from '../choices';
import { createPageSchema, listInput } from '../list';
import { parseHttpUrl } from '../net/url';
import { Host } from '../notifications/settings';
import { DisplayName, Version } from '../tenant';

export type ForwardingKind = (typeof FORWARDING_KINDS)[number];
export type ForwardingStream = (typeof FORWARDING_STREAMS)[number];

const Port = z.int('A port number.').min(1, 'A port number, 1 to 65535.').max(65_535, 'A port number, 1 to 65535.');
const Transport = z.enum(FORWARDING_TRANSPORTS, `One of ${FORWARDING_TRANSPORTS.join(', ')}.`);
const Streams = z
  .array(z.enum(FORWARDING_STREAMS, `One of ${FORWARDING_STREAMS.join(', ')}.`), 'A list of streams.')
  .min(1, 'Choose at least one.')
  .transform((list) => FORWARDING_STREAMS.filter((one) => list.includes(one)));
const WaitHours = z
  .int('A whole number of hours.')
  .min(FORWARDING_WAIT_HOURS.min, 'At least 1 hour.')
  .max(FORWARDING_WAIT_HOURS.max, 'At most 720 hours (30 days).');
const limitBytes = ({ min, max }: { min: number; max: number }) =>
  z.int('A whole number of bytes.').min(min, `At least ${min} bytes.`).max(max, `At most ${max} bytes.`);
/** What the largest message of a kind may be. */
export const MESSAGE_BYTES = { syslog: limitBytes(SYSLOG_BYTES), ipfix: limitBytes(IPFIX_BYTES) } as const;
const CONVERSATIONS_ONLY = 'IPFIX carries conversations only: omit audit.';
const Url = z
  .string('Enter the URL as text.')
  .trim()
  .max(2000, 'At most 2000 characters.')
  .refine((text) => parseHttpUrl(text) !== null, 'An http:// or https:// URL without user name and password.');

/** Headers that Fabric sets itself, or that change where a request ends. */
const OWN_HEADERS = /^(host|connection|content-.*|transfer-encoding|upgrade|expect|te|trailer|fabric-.*|user-agent)$/i;
const HeaderName = z
  .string('Enter the name as text.')
  .trim()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'The name of a header, such as Authorization.')
  .refine((name) => !OWN_HEADERS.test(name), 'Fabric sets this header itself.');
const HeaderValue = z
  .string('Enter the value as text.')
  .trim()
  .min(1, 'Enter a value.')
  .max(4000, 'At most 4000 characters.')
  .regex(/^[\x20-\x7e]*$/, 'One line of ASCII characters.');
const Certificates = z
  .string('Enter the certificates as text.')
  .trim()
  .max(60_000, 'At most 60000 characters.')
  .regex(/^(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/, 'Certificates as PEM.');

const shared = {
  /** Only what this tenant may read is sent; null: everything. Never changes. */
  tenant_id: z.uuid('The ID of a tenant.').nullable().optional(),
  name: DisplayName,
  enabled: z.boolean('One of true, false.').default(true),
  streams: Streams,
  /** How long conversations wait for a receiver that is away, at most as long as flows are kept. */
  max_wait_hours: WaitHours.default(FORWARDING_WAIT_HOURS.default),
};
const certificates = {
  /** Certificate authorities that are trusted instead of those of the system. */
  ca_certificates: Certificates.nullable().default(null),
};
const socket = { host: Host, port: Port, transport: Transport.default('tls') };

export const ForwardingDestinationInput = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      ...{ kind: z.literal('syslog'), ...shared, ...certificates, ...socket },
      /** Larger messages are shortened: what they leave out is named in them. */
      max_message_bytes: MESSAGE_BYTES.syslog.default(SYSLOG_BYTES.default),
    }),
    z.strictObject({ kind: z.literal('json'), ...shared, ...certificates, ...socket }),
    z.strictObject({
      ...{ kind: z.literal('http'), ...shared, ...certificates, url: Url },
      header_name: HeaderName.default('Authorization'),
      /** Stored encrypted and never shown; null: no header is sent. */
      header_value: HeaderValue.nullable().default(null),
    }),
    z.strictObject({
      ...{ kind: z.literal('ipfix'), ...shared, host: Host, port: Port.default(4739) },
      streams: Streams.refine((streams) => !streams.includes('audit'), CONVERSATIONS_ONLY).default(['conversations']),
      /** Of a message, which is a datagram of UDP: without the headers of IP and UDP. */
      max_message_bytes: MESSAGE_BYTES.ipfix.default(IPFIX_BYTES.default),
    }),
  ],
  { error: `kind must be one of ${FORWARDING_KINDS.join(', ')}.` },
);
export type ForwardingDestinationInput = z.output<typeof ForwardingDestinationInput>;

/** Omitted fields stay. Kind and tenant never change. */
export const ForwardingDestinationUpdate = z.strictObject({
  name: DisplayName.optional(),
  enabled: z.boolean('One of true, false.').optional(),
  streams: Streams.optional(),
  max_wait_hours: WaitHours.optional(),
  ca_certificates: Certificates.nullable().optional(),
  host: Host.optional(),
  port: Port.optional(),
  transport: Transport.optional(),
  /** Each kind has limits of its own. */
  max_message_bytes: limitBytes({ min: IPFIX_BYTES.min, max: SYSLOG_BYTES.max }).optional(),
  url: Url.optional(),
  header_name: HeaderName.optional(),
  header_value: HeaderValue.nullable().optional(),
  version: Version,
});
export type ForwardingDestinationUpdate = z.output<typeof ForwardingDestinationUpdate>;

/** Fields that only some kinds have. */
const SOCKET_FIELDS = ['host', 'port', 'transport', 'ca_certificates'] as const;
export const KIND_FIELDS = {
  syslog: [...SOCKET_FIELDS, 'max_message_bytes'],
  json: SOCKET_FIELDS,
  http: ['url', 'header_name', 'header_value', 'ca_certificates'],
  ipfix: ['host', 'port', 'max_message_bytes'],
} as const satisfies Record<ForwardingKind, readonly (keyof ForwardingDestinationUpdate)[]>;

/** Why a kind cannot have the values of an update, with the field; null: it can. */
export function findRefusal(
  kind: ForwardingKind,
  { streams, max_message_bytes }: Pick<ForwardingDestinationUpdate, 'streams' | 'max_message_bytes'>,
): { field: 'streams' | 'max_message_bytes'; message: string } | null {
  if (kind === 'ipfix' && streams?.includes('audit')) return { field: 'streams', message: CONVERSATIONS_ONLY };
  if (max_message_bytes === undefined || (kind !== 'ipfix' && kind !== 'syslog')) return null;
  const [issue] = MESSAGE_BYTES[kind].safeParse(max_message_bytes).error?.issues ?? [];
  return issue ? { field: 'max_message_bytes', message: issue.message } : null;
}

/** How far one stream of records is. */
export const ForwardingProgress = z.object({
  stream: z.enum(FORWARDING_STREAMS),
  sent: z.int(),
  /** Records that were removed or became too old before the receiver took them. */
  lost: z.int(),
  /** False: more than `lost` may be missing. */
  is_lost_exact: z.boolean(),
  last_lost_at: z.iso.datetime().nullable(),
  /** Records that were too large and were sent without some of their fields. */
  shortened: z.int(),
  /** Records that waited when this was last counted. */
  waiting: z.int(),
  last_sent_at: z.iso.datetime().nullable(),
  /** Why the last attempt failed; null: it did not. */
  last_error: z.string().nullable(),
  last_failed_at: z.iso.datetime().nullable(),
  next_attempt_at: z.iso.datetime().nullable(),
});
export type ForwardingProgress = z.output<typeof ForwardingProgress>;

/** Where records go. Neither the path of a URL nor the value of a header is ever shown again. */
export const ForwardingDestination = z.object({
  id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  name: z.string(),
  kind: z.enum(FORWARDING_KINDS),
  enabled: z.boolean(),
  streams: z.array(z.enum(FORWARDING_STREAMS)),
  max_wait_hours: z.int(),
  ca_certificates: z.string().nullable(),
  host: z.string().nullable(),
  port: z.int().nullable(),
  transport: z.enum(FORWARDING_TRANSPORTS).nullable(),
  max_message_bytes: z.int().nullable(),
  url_origin: z.string().nullable(),
  header_name: z.string().nullable(),
  has_header_value: z.boolean(),
  /** One for each stream that was sent at some time. */
  progress: z.array(ForwardingProgress),
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ForwardingDestination = z.output<typeof ForwardingDestination>;

export const ForwardingDestinationListInput = listInput(FORWARDING_SORTS, {
  kind: z.enum(FORWARDING_KINDS, `One of ${FORWARDING_KINDS.join(', ')}.`).optional(),
});
export type ForwardingDestinationListInput = z.output<typeof ForwardingDestinationListInput>;
export const ForwardingDestinationPage = createPageSchema(ForwardingDestination);

/** How a test record was received. */
export const ForwardingTestResult = z.object({
  is_sent: z.boolean(),
  /** Whether the receiver is known to have read it. Never with IPFIX: UDP confirms nothing. */
  is_confirmed: z.boolean(),
  /** The id in the record; null: it has none, with IPFIX. */
  record_id: z.uuid().nullable(),
  /** What failed, why, and what to do; null: nothing. */
  error: z.string().nullable(),
});
export type ForwardingTestResult = z.output<typeof ForwardingTestResult>;
