import { type SQL, sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { macaddr, primaryId, timestampNow, timestamptz } from '../columns';
import { buildNaturalKey } from '../natural-order';
import { projects } from './access';
import { clusters, nodes } from './clusters';
import { mappingRules } from './mapping-rules';
import { networks } from './networks';

export const workloads = pgTable(
  'workloads',
  {
    id: primaryId(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    node_id: uuid().references(() => nodes.id, { onDelete: 'set null' }),
    project_id: uuid().references(() => projects.id, { onDelete: 'set null' }),
    /** When it came to this project from another or none, kept by a trigger; null: it was created there. */
    project_since: timestamptz(),
    /** Who set `project_id`: a user manually (also to none), a mapping rule, or (null) no one yet. */
    project_assigned_by: text({ enum: ['hand', 'rule'] }),
    /** The rule that decided; null as well when it has been deleted since. */
    mapping_rule_id: uuid().references(() => mappingRules.id, { onDelete: 'set null' }),
    vmid: integer().notNull(),
    kind: text({ enum: ['qemu', 'lxc'] }).notNull(),
    /** The provider's own id, `qemu/100` or `lxc/101`. */
    external_id: text().notNull(),
    name: text().notNull(),
    /** What the name sorts by: `web-2` before `web-10`. */
    sort_name: text()
      .notNull()
      .generatedAlwaysAs((): SQL => buildNaturalKey(workloads.name)),
    status: text({ enum: ['running', 'stopped', 'paused', 'suspended', 'unknown'] })
      .notNull()
      .default('unknown'),
    template: boolean().notNull().default(false),
    tags: text().array().notNull().default(sql`'{}'`),
    pool: text(),
    lock: text(),
    ha_state: text(),
    /** Tells this guest from a later one with the same vmid (vmgenid, smbios uuid, creation time or first MAC). */
    creation_fingerprint: text(),
    /** Digest of the provider's config file when the NICs were last read. */
    config_digest: text(),
    /** When the config (NICs) was last read, to within an hour if nothing changed; null when it never could be, also of a guest that may have taken over the VMID. */
    config_read_at: timestamptz(),
    cpu_count: integer(),
    memory_bytes: bigint({ mode: 'number' }),
    /** When it was last started, null while it does not run: unlike an uptime it stays the same from sync to sync. */
    started_at: timestamptz(),
    missing_since: timestamptz(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('workloads_cluster_vmid_key').on(t.cluster_id, t.vmid),
    index('workloads_node_idx').on(t.node_id),
    index('workloads_project_idx').on(t.project_id),
    index('workloads_mapping_rule_idx').on(t.mapping_rule_id),
    index('workloads_sort_name_idx').on(t.sort_name, t.id),
    index('workloads_tags_idx').using('gin', t.tags),
    check('workloads_vmid', sql`${t.vmid} between 100 and 999999999`),
    check('workloads_kind', sql`${t.kind} in ('qemu', 'lxc')`),
    check('workloads_project_assigned_by', sql`${t.project_assigned_by} in ('hand', 'rule')`),
    check('workloads_status', sql`${t.status} in ('running', 'stopped', 'paused', 'suspended', 'unknown')`),
  ],
);

/**
 * Where workloads were before, written by a trigger whenever a workload turns up on another node. A workload moved at some time
 * between `seen_at`, when it was last read there, and `left_at`, when it was first read elsewhere.
 */
export const workloadPlacements = pgTable(
  'workload_placements',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    node_id: uuid()
      .notNull()
      .references(() => nodes.id, { onDelete: 'cascade' }),
    seen_at: timestamptz().notNull(),
    left_at: timestamptz().notNull(),
  },
  (t) => [
    index('workload_placements_workload_idx').on(t.workload_id),
    index('workload_placements_node_idx').on(t.node_id),
    index('workload_placements_left_idx').using('brin', t.left_at).with({ pages_per_range: 32 }),
  ],
);

export const workloadInterfaces = pgTable(
  'workload_interfaces',
  {
    id: primaryId(),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    network_id: uuid().references(() => networks.id, { onDelete: 'set null' }),
    /** `net0` … `net31`. */
    name: text().notNull(),
    /** Name inside a container (`eth0`), null for virtual machines. */
    guest_name: text(),
    model: text(),
    mac: macaddr(),
    bridge: text(),
    vlan_tag: integer(),
    trunks: text(),
    firewall: boolean().notNull(),
    link_down: boolean().notNull().default(false),
    mtu: integer(),
    rate_mbytes: text(),
    /** Static or dynamic addressing as configured: {ip, gw, ip6, gw6}. */
    ip_config: jsonb().$type<{ ip?: string; gw?: string; ip6?: string; gw6?: string }>(),
    /** A change waits for the guest's next start; what is stored here is the live value. */
    pending: boolean().notNull().default(false),
    raw: text().notNull(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('workload_interfaces_name_key').on(t.workload_id, t.name),
    index('workload_interfaces_mac_idx').on(t.mac),
    index('workload_interfaces_network_idx').on(t.network_id),
    check('workload_interfaces_vlan', sql`${t.vlan_tag} between 1 and 4094`),
    check('workload_interfaces_name', sql`${t.name} ~ '^net[0-9]+$'`),
  ],
);
