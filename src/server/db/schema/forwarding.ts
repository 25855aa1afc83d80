import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { FORWARDING_KINDS, FORWARDING_STREAMS, FORWARDING_TRANSPORTS } from '@/domain/choices';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { tenants } from './access';

/** Where audit records and conversations are sent. URL and header value are encrypted; see lib/crypto. */
export const forwardingDestinations = pgTable(
  'forwarding_destinations',
  {
    id: primaryId(),
    /** Null: records of the whole installation. Never changes. */
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    kind: text({ enum: FORWARDING_KINDS }).notNull(),
    enabled: boolean().notNull().default(true),
    streams: text({ enum: FORWARDING_STREAMS }).array().notNull(),
    max_wait_hours: integer().notNull(),
    ca_certificates: text(),
    host: text(),
    port: integer(),
    transport: text({ enum: FORWARDING_TRANSPORTS }),
    max_message_bytes: integer(),
    /** Scheme and host, which may be shown. */
    url_origin: text(),
    url_encrypted: text(),
    header_name: text(),
    header_value_encrypted: text(),
    /** Names the key of both. */
    secret_key_id: text(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('forwarding_destinations_name_key').on(t.name),
    check('forwarding_destinations_kind', sql`${t.kind} in ('syslog', 'json', 'http', 'ipfix')`),
    check('forwarding_destinations_streams', sql`cardinality(${t.streams}) > 0`),
    check(
      'forwarding_destinations_socket',
      sql`(${t.kind} = 'http') = (${t.host} is null) and (${t.host} is null) = (${t.port} is null)
        and (${t.kind} in ('http', 'ipfix')) = (${t.transport} is null)`,
    ),
    check(
      'forwarding_destinations_message',
      sql`(${t.kind} in ('syslog', 'ipfix')) = (${t.max_message_bytes} is not null)`,
    ),
    check(
      'forwarding_destinations_ipfix',
      sql`${t.kind} <> 'ipfix' or (${t.streams} = array['conversations'] and ${t.ca_certificates} is null)`,
    ),
    check(
      'forwarding_destinations_http',
      sql`(${t.kind} = 'http') = (${t.url_encrypted} is not null and ${t.url_origin} is not null
        and ${t.header_name} is not null and ${t.secret_key_id} is not null)
        and (${t.header_value_encrypted} is null or ${t.kind} = 'http')`,
    ),
  ],
);

/** The last record that was sent: of the audit trail its number, of conversations when it was due, with microseconds, and its id. */
export type ForwardingPosition = { seq: number } | { due_at: string; id: string };

/**
 * What of a conversation was sent to a destination of kind ipfix: its receiver adds up, so only what is new may be sent. `flow_key` is that
 * of cluster, addresses, ports and protocol: conversations that turn out to be one have the same. Times are those of the conversation.
 */
export const forwardingExports = pgTable(
  'forwarding_exports',
  {
    destination_id: uuid().notNull(),
    conversation_id: uuid().notNull(),
    flow_key: uuid().notNull(),
    low_bytes: bigint({ mode: 'number' }).notNull(),
    low_packets: bigint({ mode: 'number' }).notNull(),
    high_bytes: bigint({ mode: 'number' }).notNull(),
    high_packets: bigint({ mode: 'number' }).notNull(),
    first_seen_at: timestamptz().notNull(),
    last_seen_at: timestamptz().notNull(),
    exported_at: timestamptz().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.destination_id, t.conversation_id] }),
    foreignKey({
      name: 'forwarding_exports_destination_fk',
      columns: [t.destination_id],
      foreignColumns: [forwardingDestinations.id],
    }).onDelete('cascade'),
    index('forwarding_exports_key_idx').on(t.destination_id, t.flow_key),
    index('forwarding_exports_exported_idx')
      .using('brin', t.exported_at)
      .with({ pages_per_range: 32, autosummarize: true }),
  ],
);

/** How far a stream of a destination is. Beginning with its row, nothing is left out uncounted. */
export const forwardingStreams = pgTable(
  'forwarding_streams',
  {
    destination_id: uuid().notNull(),
    stream: text({ enum: FORWARDING_STREAMS }).notNull(),
    position: jsonb().$type<ForwardingPosition>().notNull(),
    /** Of IPFIX: how many data records were sent of each cluster. Sequence numbers continue with them. */
    sequences: jsonb().$type<Record<string, number>>().notNull().default({}),
    sent: bigint({ mode: 'number' }).notNull().default(0),
    lost: bigint({ mode: 'number' }).notNull().default(0),
    is_lost_exact: boolean().notNull().default(true),
    last_lost_at: timestamptz(),
    shortened: bigint({ mode: 'number' }).notNull().default(0),
    waiting: bigint({ mode: 'number' }).notNull().default(0),
    last_sent_at: timestamptz(),
    /** Attempts that failed since the last one that did not. */
    failures: integer().notNull().default(0),
    last_error: text(),
    last_failed_at: timestamptz(),
    next_attempt_at: timestamptz(),
  },
  (t) => [
    primaryKey({ columns: [t.destination_id, t.stream] }),
    foreignKey({
      name: 'forwarding_streams_destination_fk',
      columns: [t.destination_id],
      foreignColumns: [forwardingDestinations.id],
    }).onDelete('cascade'),
    check('forwarding_streams_stream', sql`${t.stream} in ('audit', 'conversations')`),
  ],
);
