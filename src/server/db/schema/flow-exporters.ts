import { sql } from 'drizzle-orm';
import { bigint, boolean, check, doublePrecision, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { EXPORT_PROTOCOLS } from '@/domain/collector/observation';
import { inet, primaryId, timestampNow, timestamptz } from '../columns';
import { clusters, nodes } from './clusters';

/** Devices that may send flow records to the collector. */
export const flowExporters = pgTable(
  'flow_exporters',
  {
    id: primaryId(),
    name: text().notNull(),
    /** From which its datagrams come. */
    address: inet().notNull(),
    /** Whose addresses say which workloads its records are about. Never changes. */
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    /** The node whose traffic it reports; null: of no node. */
    node_id: uuid().references(() => nodes.id, { onDelete: 'set null' }),
    enabled: boolean().notNull().default(true),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('flow_exporters_name_key').on(t.name),
    unique('flow_exporters_address_key').on(t.address),
    // Two of one node would count its traffic twice.
    unique('flow_exporters_node_key').on(t.node_id),
  ],
);

const total = () => bigint({ mode: 'number' }).notNull().default(0);

/** What exporters have sent; written by the collector every few seconds. */
export const flowExporterStatus = pgTable(
  'flow_exporter_status',
  {
    exporter_id: uuid()
      .primaryKey()
      .references(() => flowExporters.id, { onDelete: 'cascade' }),
    last_seen_at: timestamptz().notNull(),
    protocol: text({ enum: EXPORT_PROTOCOLS }),
    sampling: doublePrecision(),
    /** The part that was stored last: the same one is not stored again when its answer was lost. */
    last_batch: uuid(),
    datagrams: total(),
    records: total(),
    stored: total(),
    lost: total(),
    unknown_templates: total(),
    malformed: total(),
    untimed: total(),
    superseded: total(),
    dropped: total(),
    sampled: total(),
  },
  (t) => [check('flow_exporter_status_protocol', sql`${t.protocol} in ('netflow9', 'ipfix')`)],
);

/** Processes that receive datagrams. */
export const collectorProcesses = pgTable('collector_processes', {
  id: text().primaryKey(),
  listens: text().notNull(),
  started_at: timestamptz().notNull(),
  seen_at: timestamptz().notNull(),
  datagrams: total(),
  refused: total(),
  unreadable: total(),
});

/** Addresses that sent datagrams and are not listed; only the newest are kept. */
export const refusedSenders = pgTable('refused_senders', {
  address: inet().primaryKey(),
  datagrams: total(),
  first_seen_at: timestamptz().notNull(),
  last_seen_at: timestamptz().notNull(),
});
