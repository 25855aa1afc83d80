import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { EXPORT_PROTOCOLS } from '@/domain/collector/observation';
import { cidr, inet, primaryId, timestampNow, timestamptz } from '../columns';
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
    estimated: total(),
    folded: total(),
  },
  (t) => [check('flow_exporter_status_protocol', sql`${t.protocol} in ('netflow9', 'ipfix', 'sflow')`)],
);

/**
 * What exporters report of sampled packets, projected to all packets: one row for an hour, a pair of ends and a service. In no total of
 * flows. The cluster is the exporter's, which never changes. A row without prefixes has what was beyond the rows of its hour.
 */
export const flowEstimates = pgTable(
  'flow_estimates',
  {
    exporter_id: uuid()
      .notNull()
      .references(() => flowExporters.id, { onDelete: 'cascade' }),
    /** Where the hour begins. */
    bucket_at: timestamptz().notNull(),
    estimate_key: uuid().notNull(),
    source_workload_id: uuid(),
    destination_workload_id: uuid(),
    /** The known subnet (`internal`), else the /24 or /48 network of the address. */
    source_prefix: cidr(),
    destination_prefix: cidr(),
    source_internal: boolean().notNull(),
    destination_internal: boolean().notNull(),
    protocol: text(),
    service_port: integer(),
    /** Of the sample, times the rate. */
    bytes: total(),
    packets: total(),
    /** Packets that were sampled. */
    samples: total(),
    /** Sum of the squared rate of each sampled packet: the variance of `packets`. */
    variance: doublePrecision().notNull().default(0),
  },
  (t) => [
    primaryKey({ name: 'flow_estimates_key', columns: [t.exporter_id, t.bucket_at, t.estimate_key] }),
    index('flow_estimates_bucket_idx').using('brin', t.bucket_at).with({ pages_per_range: 32, autosummarize: true }),
    check(
      'flow_estimates_prefixes',
      sql`(${t.source_prefix} is null) = (${t.destination_prefix} is null) and (${t.source_prefix} is null) = (${t.protocol} is null)`,
    ),
  ],
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
