import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { CONFLICT_KINDS, IMPORT_RUN_KINDS, SPOOFED_REASONS } from '@/domain/choices';
import type { ImportChange } from '@/domain/ipam/csv-import';
import { inet, macaddr, primaryId, timestampNow, timestamptz } from '../columns';
import { ipAddresses } from './addresses';
import { clusters } from './clusters';
import { netboxSources } from './netbox';
import { networks, subnets } from './networks';
import { workloads } from './workloads';

/** Addresses of a subnet that are handed out by DHCP, or kept free for something. */
export const ipRanges = pgTable(
  'ip_ranges',
  {
    id: primaryId(),
    network_id: uuid().notNull(),
    subnet_id: uuid().notNull(),
    kind: text({ enum: ['dhcp', 'reserved'] }).notNull(),
    first_address: inet().notNull(),
    last_address: inet().notNull(),
    description: text().notNull().default(''),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    foreignKey({
      name: 'ip_ranges_subnet_fk',
      columns: [t.subnet_id, t.network_id],
      foreignColumns: [subnets.id, subnets.network_id],
    }).onDelete('cascade'),
    index('ip_ranges_subnet_idx').on(t.subnet_id, t.first_address),
    check('ip_ranges_kind', sql`${t.kind} in ('dhcp', 'reserved')`),
    check('ip_ranges_family', sql`family(${t.first_address}) = family(${t.last_address})`),
    check('ip_ranges_order', sql`${t.first_address} <= ${t.last_address}`),
    check(
      'ip_ranges_host',
      sql`masklen(${t.first_address}) = case family(${t.first_address}) when 4 then 32 else 128 end
        and masklen(${t.last_address}) = case family(${t.last_address}) when 4 then 32 else 128 end`,
    ),
  ],
);

/**
 * Which workload held an address, from when to when. Triggers on ip_addresses write it, so that no way of changing an
 * address is left out; it stays when the address or the workload goes.
 */
export const ipAddressHistory = pgTable(
  'ip_address_history',
  {
    id: uuid().primaryKey().default(sql`gen_random_uuid()`),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    network_id: uuid()
      .notNull()
      .references(() => networks.id, { onDelete: 'cascade' }),
    address: inet().notNull(),
    workload_id: uuid().references(() => workloads.id, { onDelete: 'set null' }),
    workload_name: text().notNull(),
    workload_external_id: text().notNull(),
    interface_name: text(),
    mac: macaddr(),
    source: text().notNull(),
    from_at: timestamptz().notNull(),
    until_at: timestamptz(),
  },
  (t) => [
    index('ip_address_history_address_idx').on(t.network_id, t.address, t.from_at),
    index('ip_address_history_workload_idx').on(t.workload_id, t.from_at),
    index('ip_address_history_prefix_idx').using('gist', t.address.op('inet_ops')),
    uniqueIndex('ip_address_history_one_open').on(t.network_id, t.address).where(sql`until_at is null`),
  ],
);

/** Two facts about addresses that cannot both be right; nothing is overwritten until a user decides. */
export const ipamConflicts = pgTable(
  'ipam_conflicts',
  {
    id: primaryId(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    kind: text({ enum: CONFLICT_KINDS }).notNull(),
    /** What makes it the same conflict when it is seen again. */
    key: text().notNull(),
    ip_address_id: uuid().references(() => ipAddresses.id, { onDelete: 'cascade' }),
    network_id: uuid().references(() => networks.id, { onDelete: 'cascade' }),
    address: inet(),
    mac: macaddr(),
    /** Who holds it, as stored. */
    workload_id: uuid().references(() => workloads.id, { onDelete: 'cascade' }),
    interface_name: text(),
    /** Who was seen with it as well. */
    other_workload_id: uuid().references(() => workloads.id, { onDelete: 'cascade' }),
    other_interface_name: text(),
    other_mac: macaddr(),
    other_source: text(),
    /** Of findings from sightings: why an address is spoofed, when it began, and when its evidence was last seen. */
    reason: text({ enum: SPOOFED_REASONS }),
    began_at: timestamptz(),
    evidence_at: timestamptz(),
    /** State of the address before the conflict, to which it returns. */
    state_before: text(),
    status: text({ enum: ['open', 'resolved', 'gone'] })
      .notNull()
      .default('open'),
    resolution: text({ enum: ['keep', 'assign', 'dismiss'] }),
    note: text().notNull().default(''),
    resolved_at: timestamptz(),
    resolved_by_name: text(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('ipam_conflicts_key').on(t.cluster_id, t.kind, t.key),
    index('ipam_conflicts_status_idx').on(t.status, t.id),
    index('ipam_conflicts_address_idx').on(t.ip_address_id),
    index('ipam_conflicts_workload_idx').on(t.workload_id),
    index('ipam_conflicts_other_idx').on(t.other_workload_id),
    check(
      'ipam_conflicts_kind',
      sql`${t.kind} in ('duplicate_address', 'duplicate_mac', 'outside_subnet', 'reserved_in_use', 'moved_address',
        'spoofed_address', 'stale_address', 'unmanaged_address')`,
    ),
    check('ipam_conflicts_reason', sql`${t.reason} in ('held', 'registered', 'ip_filter')`),
    check('ipam_conflicts_status', sql`${t.status} in ('open', 'resolved', 'gone')`),
    check('ipam_conflicts_resolution', sql`(${t.status} = 'resolved') = (${t.resolution} is not null)`),
    check('ipam_conflicts_resolutions', sql`${t.resolution} in ('keep', 'assign', 'dismiss')`),
  ],
);

export type ImportError = { line: number; field: string; message: string };

/** A CSV file or a NetBox to be taken over: checked as a whole, written in one transaction. */
export const ipamImports = pgTable(
  'ipam_imports',
  {
    id: primaryId(),
    kind: text({ enum: IMPORT_RUN_KINDS }).notNull(),
    /** Of an import from NetBox. */
    netbox_source_id: uuid().references(() => netboxSources.id, { onDelete: 'set null' }),
    mode: text({ enum: ['atomic', 'skip_bad'] }).notNull(),
    /** Only checked, nothing is written. */
    dry_run: boolean().notNull().default(false),
    file_name: text().notNull().default(''),
    content: text().notNull(),
    sha256: text().notNull(),
    status: text({ enum: ['queued', 'running', 'ok', 'failed'] })
      .notNull()
      .default('queued'),
    stage: text({ enum: ['reading', 'checking', 'writing'] }),
    progress_done: integer().notNull().default(0),
    progress_total: integer(),
    rows_total: integer(),
    rows_bad: integer(),
    created: integer().notNull().default(0),
    updated: integer().notNull().default(0),
    unchanged: integer().notNull().default(0),
    /** Changes that are written only if they are chosen. */
    conflicts: integer().notNull().default(0),
    /** Lines of conflicts that were chosen; all of them with `overwrite_all`. */
    overwrite: integer().array().notNull().default(sql`'{}'`),
    overwrite_all: boolean().notNull().default(false),
    errors: jsonb().$type<ImportError[]>().notNull().default([]),
    errors_total: integer().notNull().default(0),
    /** The first rows that are created or changed, old and new value of each field; `changes_total` counts all of them. */
    changes: jsonb().$type<ImportChange[]>().notNull().default([]),
    changes_total: integer().notNull().default(0),
    /** Of all changes and all rows with errors: an import that writes something else than its preview has another one. */
    plan_hash: text(),
    /** The check whose changes this import is to write, and no others. */
    preview_id: uuid(),
    message: text(),
    requested_by: uuid(),
    requested_by_name: text().notNull(),
    lease_owner: text(),
    lease_at: timestamptz(),
    attempts: integer().notNull().default(0),
    created_at: timestampNow(),
    started_at: timestamptz(),
    finished_at: timestamptz(),
  },
  (t) => [
    index('ipam_imports_status_idx').on(t.status, t.id),
    index('ipam_imports_source_idx').on(t.netbox_source_id),
    check('ipam_imports_kind', sql`${t.kind} in ('addresses', 'subnets', 'netbox')`),
    check('ipam_imports_mode', sql`${t.mode} in ('atomic', 'skip_bad')`),
    check('ipam_imports_status', sql`${t.status} in ('queued', 'running', 'ok', 'failed')`),
    check('ipam_imports_finished', sql`(${t.finished_at} is not null) = (${t.status} in ('ok', 'failed'))`),
  ],
);
