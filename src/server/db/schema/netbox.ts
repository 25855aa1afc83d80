import { sql } from 'drizzle-orm';
import {
  bigint,
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
import { NETBOX_KINDS } from '@/domain/netbox/objects';
import type { NetboxSourceInput } from '@/domain/netbox/source';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { networks } from './networks';

/** A NetBox whose prefixes and addresses are imported. The token is encrypted; see lib/crypto. */
export const netboxSources = pgTable(
  'netbox_sources',
  {
    id: primaryId(),
    name: text().notNull(),
    url: text().notNull(),
    token_encrypted: text().notNull(),
    secret_key_id: text().notNull(),
    ca_certificates: text(),
    filter_tenant: text(),
    filter_tag: text(),
    networks: jsonb().$type<NetboxSourceInput['networks']>().notNull(),
    tenants: jsonb().$type<NetboxSourceInput['tenants']>().notNull().default([]),
    groups: jsonb().$type<NetboxSourceInput['groups']>().notNull().default([]),
    last_import_at: timestamptz(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [unique('netbox_sources_name_key').on(t.name), check('netbox_sources_url', sql`${t.url} ~ '^https?://'`)],
);

/**
 * What the import last wrote of an object, or found to be the same. A value that is still as written may be changed by the next
 * import; any other one was set by a person or a discovery, and is a conflict.
 */
export const netboxObjects = pgTable(
  'netbox_objects',
  {
    source_id: uuid().notNull(),
    kind: text({ enum: NETBOX_KINDS }).notNull(),
    netbox_id: bigint({ mode: 'number' }).notNull(),
    network_id: uuid().notNull(),
    /** The prefix or the address. */
    name: text().notNull(),
    written: jsonb().$type<Record<string, string | number | boolean | null>>().notNull(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    primaryKey({ name: 'netbox_objects_key', columns: [t.source_id, t.kind, t.netbox_id] }),
    foreignKey({
      name: 'netbox_objects_source_fk',
      columns: [t.source_id],
      foreignColumns: [netboxSources.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'netbox_objects_network_fk',
      columns: [t.network_id],
      foreignColumns: [networks.id],
    }).onDelete('cascade'),
    index('netbox_objects_network_idx').on(t.network_id),
    check('netbox_objects_kind', sql`${t.kind} in ('prefix', 'address')`),
  ],
);
