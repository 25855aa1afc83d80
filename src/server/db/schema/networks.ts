import { sql } from 'drizzle-orm';
import { boolean, check, foreignKey, index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { cidr, inet, primaryId, timestampNow, timestamptz } from '../columns';
import { clusters } from './clusters';

/**
 * A layer-2 domain of a cluster: a bridge (one row for the same name on every node), an SDN vnet, or a manual entry.
 */
export const networks = pgTable(
  'networks',
  {
    id: primaryId(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    kind: text({ enum: ['bridge', 'ovs_bridge', 'vnet', 'discovered', 'manual'] }).notNull(),
    zone: text(),
    vlan_tag: integer(),
    vlan_aware: boolean(),
    alias: text(),
    description: text().notNull().default(''),
    /** Names of the nodes on which the bridge exists; empty for cluster-wide vnets. */
    node_names: text().array().notNull().default(sql`'{}'`),
    source: text({ enum: ['provider', 'discovery', 'manual'] }).notNull(),
    missing_since: timestamptz(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('networks_cluster_name_key').on(t.cluster_id, t.name),
    unique('networks_id_cluster_key').on(t.id, t.cluster_id),
    check('networks_kind', sql`${t.kind} in ('bridge', 'ovs_bridge', 'vnet', 'discovered', 'manual')`),
    check('networks_source', sql`${t.source} in ('provider', 'discovery', 'manual')`),
    check('networks_vlan', sql`${t.vlan_tag} between 1 and 16777215`),
  ],
);

export const subnets = pgTable(
  'subnets',
  {
    id: primaryId(),
    cluster_id: uuid().notNull(),
    network_id: uuid().notNull(),
    cidr: cidr().notNull(),
    gateway: inet(),
    dns_servers: inet().array().notNull().default(sql`'{}'`),
    dhcp_enabled: boolean().notNull().default(false),
    /** VLAN of the prefix where it is not that of the network as a whole. */
    vlan_tag: integer(),
    description: text().notNull().default(''),
    source: text({ enum: ['provider', 'discovery', 'manual'] }).notNull(),
    missing_since: timestamptz(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    foreignKey({
      name: 'subnets_network_fk',
      columns: [t.network_id, t.cluster_id],
      foreignColumns: [networks.id, networks.cluster_id],
    }).onDelete('cascade'),
    unique('subnets_network_cidr_key').on(t.network_id, t.cidr),
    unique('subnets_id_network_key').on(t.id, t.network_id),
    index('subnets_cidr_idx').using('gist', t.cidr.op('inet_ops')),
    check('subnets_gateway_inside', sql`${t.gateway} is null or ${t.gateway} <<= ${t.cidr}`),
    check(
      'subnets_gateway_host',
      sql`${t.gateway} is null or masklen(${t.gateway}) = case family(${t.gateway}) when 4 then 32 else 128 end`,
    ),
    check('subnets_vlan', sql`${t.vlan_tag} between 1 and 4094`),
    check('subnets_source', sql`${t.source} in ('provider', 'discovery', 'manual')`),
  ],
);
