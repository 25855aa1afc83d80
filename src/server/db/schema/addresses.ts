import { sql } from 'drizzle-orm';
import { check, foreignKey, index, integer, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { SIGHTING_SOURCES } from '@/domain/choices';
import { inet, macaddr, primaryId, timestampNow, timestamptz } from '../columns';
import { clusters } from './clusters';
import { networks, subnets } from './networks';
import { workloadInterfaces, workloads } from './workloads';

export const ipAddresses = pgTable(
  'ip_addresses',
  {
    id: primaryId(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    network_id: uuid().notNull(),
    subnet_id: uuid().notNull(),
    address: inet().notNull(),
    workload_id: uuid().references(() => workloads.id, { onDelete: 'set null' }),
    interface_id: uuid().references(() => workloadInterfaces.id, { onDelete: 'set null' }),
    mac: macaddr(),
    hostname: text(),
    description: text().notNull().default(''),
    state: text({ enum: ['active', 'reserved', 'dhcp', 'stale', 'conflict'] })
      .notNull()
      .default('active'),
    source: text({ enum: ['agent', 'sdn', 'config', 'cloudinit', 'manual'] }).notNull(),
    /** When a discovery saw it first, and last to within some hours; null for what none has seen. */
    first_seen_at: timestamptz(),
    last_seen_at: timestamptz(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    foreignKey({
      name: 'ip_addresses_subnet_fk',
      columns: [t.subnet_id, t.network_id],
      foreignColumns: [subnets.id, subnets.network_id],
    }).onDelete('cascade'),
    unique('ip_addresses_key').on(t.cluster_id, t.network_id, t.address),
    index('ip_addresses_subnet_idx').on(t.subnet_id, t.address, t.state),
    index('ip_addresses_text_idx').on(sql`host(${t.address}) text_pattern_ops`),
    index('ip_addresses_hostname_idx').on(sql`lower(${t.hostname}) text_pattern_ops`),
    index('ip_addresses_mac_idx').on(t.mac),
    index('ip_addresses_order_idx').on(t.address, t.id),
    index('ip_addresses_workload_idx').on(t.workload_id),
    index('ip_addresses_address_idx').using('gist', t.address.op('inet_ops')),
    check('ip_addresses_host', sql`masklen(${t.address}) = case family(${t.address}) when 4 then 32 else 128 end`),
    check('ip_addresses_state', sql`${t.state} in ('active', 'reserved', 'dhcp', 'stale', 'conflict')`),
    check('ip_addresses_source', sql`${t.source} in ('agent', 'sdn', 'config', 'cloudinit', 'manual')`),
  ],
);

/**
 * What each source says about an address at an interface of a workload, from when to when; open while it was not read to be
 * otherwise. Unlike `ip_addresses` it keeps what less trusted sources say. Rows that were last seen 90 days ago go.
 */
export const addressSightings = pgTable(
  'address_sightings',
  {
    id: primaryId(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    /** `net0` … of the workload; the interface may be gone. */
    nic: text().notNull(),
    /** Where the interface was attached. */
    network_id: uuid().references(() => networks.id, { onDelete: 'set null' }),
    vlan_tag: integer(),
    address: inet().notNull(),
    mac: macaddr(),
    source: text({ enum: SIGHTING_SOURCES }).notNull(),
    /** Name of the interface inside the guest, or of the one on the node that saw packets. */
    seen_on: text(),
    first_seen_at: timestamptz().notNull(),
    /** To within half an hour. */
    last_seen_at: timestamptz().notNull(),
    /** When the source was read and did not have it any more. */
    ended_at: timestamptz(),
  },
  (t) => [
    uniqueIndex('address_sightings_open').on(t.workload_id, t.nic, t.address, t.source).where(sql`ended_at is null`),
    index('address_sightings_workload_idx').on(t.workload_id),
    index('address_sightings_cluster_idx').on(t.cluster_id, t.address),
    index('address_sightings_address_idx').on(t.address),
    index('address_sightings_mac_idx').on(t.mac),
    index('address_sightings_network_idx').on(t.network_id),
    index('address_sightings_seen_idx').on(t.last_seen_at),
    check('address_sightings_source', sql`${t.source} in ('agent', 'sdn', 'config', 'cloudinit', 'traffic')`),
    check('address_sightings_times', sql`${t.first_seen_at} <= ${t.last_seen_at}`),
  ],
);
