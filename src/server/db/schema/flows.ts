import { type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import type { UnconfirmedReport } from '@/domain/flow/flow-record';
import { cidr, inet, timestampNow, timestamptz } from '../columns';
import { nodes } from './clusters';

const counter = () => bigint({ mode: 'number' });

const total = () => counter().notNull().default(0);

/** Ports of `SENSITIVE_PORTS`, as the partial index and the queries that use it write them. */
export const SENSITIVE_PORT: SQL = sql.raw(
  '(destination_port in (22, 139, 445, 3306, 3389, 5432, 6379) or destination_port between 5900 and 5999)',
);

export const flowColumns = {
  node_id: uuid().notNull(),
  flow_key: uuid().notNull(),
  cluster_id: uuid().notNull(),
  source_ip: inet().notNull(),
  destination_ip: inet().notNull(),
  protocol: text().notNull(),
  source_port: integer(),
  destination_port: integer(),
  decision: text().notNull(),
  state: text(),
  /** Counted since the flow was stored, never decreasing; null when there were no counters. */
  bytes: counter(),
  packets: counter(),
  /** The agent's own totals in its newest report: they begin again with the agent. */
  reported_bytes: counter(),
  reported_packets: counter(),
  first_seen_at: timestamptz().notNull(),
  observed_at: timestamptz().notNull(),
  collector: text().notNull(),
  initiator: text({ enum: ['source', 'destination'] }),
  icmp_type: smallint(),
  icmp_code: smallint(),
  interface: text(),
  vmid: integer(),
  nic: smallint(),
  vlan: smallint(),
  /** The guest whose interface saw the flow, and the guests at its ends as far as they are known. */
  workload_id: uuid(),
  source_workload_id: uuid(),
  destination_workload_id: uuid(),
  /** The longest known subnet that holds the end; null: external. */
  source_cidr: cidr(),
  destination_cidr: cidr(),
  /** The conversation that it is a part of; null: stored before there were any, until the upkeep assigns it. */
  conversation_id: uuid(),
  raw: jsonb().$type<Record<string, unknown>>(),
  created_at: timestampNow(),
  updated_at: timestampNow(),
};

/**
 * One direction of one conversation as one node saw it. `flow_key` is a hash of source, destination, protocol, ports and
 * decision. Only what never changes for a key is indexed as a btree: an index on a time would make every update rewrite
 * it. There is no foreign key to the node: it would be checked for each new flow; retention removes what has no node.
 */
export const trafficFlows = pgTable('traffic_flows', flowColumns, (t) => [
  primaryKey({ columns: [t.node_id, t.flow_key] }),
  // By either: what was seen in a range, and what was stored since a moment. Of two columns, it costs an update as much as of one.
  index('traffic_flows_times_idx')
    .using('brin', t.observed_at, t.updated_at)
    .with({ pages_per_range: 32, autosummarize: true }),
  index('traffic_flows_source_idx').on(t.source_workload_id).where(sql`source_workload_id is not null`),
  index('traffic_flows_destination_idx').on(t.destination_workload_id).where(sql`destination_workload_id is not null`),
  // For the dashboard: flows to sensitive ports by the subnet of their source, external ones under null. A flow's port never
  // changes, and its subnet only with the inventory.
  index('traffic_flows_sensitive_idx').on(t.source_cidr).where(SENSITIVE_PORT),
  index('traffic_flows_conversation_idx').on(t.conversation_id).where(sql`conversation_id is not null`),
  index('traffic_flows_unassigned_idx').on(t.node_id).where(sql`conversation_id is null`),
  index('traffic_flows_seen_by_idx')
    .on(t.workload_id)
    .where(sql`workload_id is not null and source_workload_id is null and destination_workload_id is null`),
]);

/** When a conversation was seen, as the index has it; only of long ones is the first time surely before the slot of the last. */
export const CONVERSATION_SPAN: SQL = sql.raw(`tstzrange(least(first_seen_at, seen_slot), seen_slot, '[]')`);

/**
 * Both directions of one connection, as all nodes saw it: what the rows of `traffic_flows` with its id add up to, each direction counted
 * once. Every column but the first four follows from these rows. What is sorted by is indexed by slots and classes that change far more
 * rarely than the values themselves: most updates touch no index.
 */
export const trafficConversations = pgTable(
  'traffic_conversations',
  {
    id: uuid().primaryKey(),
    /** Hash of cluster, addresses, ports and protocol, in either direction. */
    conversation_key: uuid().notNull(),
    /** How many conversations with the key were stored before it; -1: it came from another store when it could not continue any more. */
    ordinal: integer().notNull(),
    /** Ended because a workload at an end went to another tenant: later packets begin another conversation. */
    is_final: boolean().notNull().default(false),
    cluster_id: uuid().notNull(),
    client_ip: inet().notNull(),
    server_ip: inet().notNull(),
    protocol: text().notNull(),
    client_port: integer(),
    server_port: integer(),
    /** Null where no port looks like that of a service and who opened is not known. */
    service_port: integer(),
    /** Whether an agent reported who opened. */
    is_client_known: boolean().notNull(),
    client_workload_id: uuid(),
    server_workload_id: uuid(),
    client_cidr: cidr(),
    server_cidr: cidr(),
    /** A workload at whose interface it was seen, and the interface. */
    workload_id: uuid(),
    nic: smallint(),
    icmp_type: smallint(),
    icmp_code: smallint(),
    /** What counts of both directions; null: not counted. */
    bytes: counter(),
    packets: counter(),
    client_bytes: counter(),
    client_packets: counter(),
    server_bytes: counter(),
    server_packets: counter(),
    action: text({ enum: ['allowed', 'dropped', 'rejected', 'unknown'] }).notNull(),
    decision: text({ enum: ['accept', 'drop', 'reject', 'observed'] }).notNull(),
    is_closed: boolean().notNull(),
    node_ids: uuid().array().notNull(),
    first_seen_at: timestamptz().notNull(),
    last_seen_at: timestamptz().notNull(),
    /** The five minutes of `last_seen_at`. */
    seen_slot: timestamptz().generatedAlwaysAs(
      sql`date_bin('5 minutes'::interval, last_seen_at, '2000-01-01 00:00:00+00'::timestamptz)`,
    ),
    /** Grows with `bytes`, by one for each factor of four; -1: not counted. */
    size_class: smallint().generatedAlwaysAs(
      sql`case when bytes is null then -1 else floor(ln(greatest(bytes, 1)::float8) / ln(4::float8)) end::smallint`,
    ),
    /** Whether it lasted more than five minutes. */
    is_long: boolean().generatedAlwaysAs(sql`last_seen_at - first_seen_at > '5 minutes'::interval`),
    created_at: timestamptz().notNull(),
    updated_at: timestamptz().notNull(),
    /** Counts the writes, so that one that read less than the one before is noticed and repeated. */
    revision: integer().notNull().default(1),
    /** What its revision was in the store from which it came; null: it was stored here. Records of it go on from there. */
    moved_revision: counter(),
    /** An end became known after it was stored: it may be a part of another one. */
    is_merge_due: boolean().notNull().default(false),
  },
  (t) => [
    index('traffic_conversations_key_idx').on(t.conversation_key),
    index('traffic_conversations_seen_idx').on(t.seen_slot, t.size_class),
    index('traffic_conversations_last_seen_idx')
      .using('brin', t.last_seen_at)
      .with({ pages_per_range: 32, autosummarize: true }),
    // Forwarding reads what changed. Such an index costs an update nothing that the one before it does not.
    index('traffic_conversations_updated_idx')
      .using('brin', t.updated_at)
      .with({ pages_per_range: 32, autosummarize: true }),
    index('traffic_conversations_size_idx').on(t.size_class, t.seen_slot),
    index('traffic_conversations_client_idx')
      .on(t.client_workload_id, t.seen_slot)
      .where(sql`client_workload_id is not null`),
    index('traffic_conversations_server_idx')
      .on(t.server_workload_id, t.seen_slot)
      .where(sql`server_workload_id is not null`),
    index('traffic_conversations_seen_by_idx')
      .on(t.workload_id, t.seen_slot)
      .where(sql`workload_id is not null and client_workload_id is null and server_workload_id is null`),
    index('traffic_conversations_service_idx').on(t.service_port, t.seen_slot),
    index('traffic_conversations_denied_idx')
      .on(t.seen_slot, t.client_workload_id, t.server_workload_id, t.service_port)
      .where(sql`action in ('dropped', 'rejected')`),
    index('traffic_conversations_long_idx').using('gist', CONVERSATION_SPAN).where(sql`is_long`),
    index('traffic_conversations_merge_idx').on(t.conversation_key).where(sql`is_merge_due`),
  ],
);

const rollupIdentity = {
  /** Hash of the columns that follow. */
  rollup_key: uuid().notNull(),
  source_workload_id: uuid(),
  destination_workload_id: uuid(),
  /** The known subnet of the end, or of an external one the /24 (IPv4) or /48. */
  source_prefix: cidr().notNull(),
  destination_prefix: cidr().notNull(),
  source_internal: boolean().notNull(),
  destination_internal: boolean().notNull(),
  protocol: text().notNull(),
  /** Destination port; of the answering direction the source port. */
  service_port: integer(),
  /** Whether this is the answering direction of a conversation. */
  reply: boolean().notNull(),
  decision: text().notNull(),
};

export const rollupColumns = {
  node_id: uuid().notNull(),
  bucket_at: timestamptz().notNull(),
  cluster_id: uuid().notNull(),
  ...rollupIdentity,
  bytes: total(),
  packets: total(),
  /** Flows that were new in this bucket. */
  flows: total(),
};

/** Traffic per minute, for the last day. A minute that grows older moves into its hour: the two never overlap. */
export const flowRollupMinutes = pgTable('flow_rollup_minutes', rollupColumns, (t) => [
  primaryKey({ columns: [t.node_id, t.bucket_at, t.rollup_key] }),
  index('flow_rollup_minutes_bucket_idx').using('brin', t.bucket_at).with({ pages_per_range: 32, autosummarize: true }),
]);

/** Traffic per hour, of what is older than a day. */
export const flowRollupHours = pgTable('flow_rollup_hours', rollupColumns, (t) => [
  primaryKey({ columns: [t.node_id, t.bucket_at, t.rollup_key] }),
  index('flow_rollup_hours_bucket_idx').using('brin', t.bucket_at).with({ pages_per_range: 32, autosummarize: true }),
]);

/** What counts of hours that are over, of all nodes, for maps of a day. Made from the minutes; whole where `flow_complete_hours` says so. */
export const flowHourTotals = pgTable(
  'flow_hour_totals',
  {
    bucket_at: timestamptz().notNull(),
    cluster_id: uuid().notNull(),
    ...rollupIdentity,
    bytes: total(),
    packets: total(),
    flows: total(),
    /** The last minute with traffic that counts, and with any report of it. */
    last_counted_at: timestamptz().notNull(),
    last_reported_at: timestamptz().notNull(),
  },
  (t) => [primaryKey({ columns: [t.bucket_at, t.cluster_id, t.rollup_key] })],
);

/** Hours that `flow_hour_totals` has; those with a mark have changed since. */
export const flowCompleteHours = pgTable(
  'flow_complete_hours',
  { bucket_at: timestamptz().notNull(), cluster_id: uuid().notNull() },
  (t) => [primaryKey({ columns: [t.bucket_at, t.cluster_id] })],
);

/** Days of which ClickHouse has what counts, in so many rows; those with a mark have changed since. */
export const flowCountedDays = pgTable('flow_counted_days', {
  day_at: timestamptz().primaryKey(),
  rows: counter().notNull(),
});

export const partColumns = {
  node_id: uuid().notNull(),
  bucket_at: timestamptz().notNull(),
  rollup_key: uuid().notNull(),
  flow_key: uuid().notNull(),
  bytes: total(),
  packets: total(),
  flows: total(),
};

/**
 * What of a minute came from which flow, as long as an end of it is unknown that may turn out to be a workload: minutes know
 * no addresses. Goes with the minute.
 */
export const flowUnresolvedMinutes = pgTable('flow_unresolved_minutes', partColumns, (t) => [
  primaryKey({ name: 'flow_unresolved_minutes_key', columns: [t.node_id, t.bucket_at, t.rollup_key, t.flow_key] }),
  index('flow_unresolved_minutes_bucket_idx').using('brin', t.bucket_at).with({ pages_per_range: 32 }),
]);

/**
 * Flows seen at an interface of a workload that the inventory places on another node, one row for each report. They count
 * nowhere until the workload's place is read again. Rows that were refused stay until the retention of flows ends.
 */
export const unconfirmedFlows = pgTable(
  'unconfirmed_flows',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    node_id: uuid()
      .notNull()
      .references(() => nodes.id, { onDelete: 'cascade' }),
    cluster_id: uuid().notNull(),
    vmid: integer().notNull(),
    workload_id: uuid().notNull(),
    state: text({ enum: ['waiting', 'refused'] })
      .notNull()
      .default('waiting'),
    /** Where the workload was when the report was refused. */
    placed_node_id: uuid(),
    received_at: timestamptz().notNull(),
    observed_at: timestamptz().notNull(),
    /** When it was refused. */
    refused_at: timestamptz(),
    /** The validated flow without its endpoints: these are resolved when it is confirmed. */
    report: jsonb().$type<UnconfirmedReport>().notNull(),
  },
  (t) => [
    index('unconfirmed_flows_node_idx').on(t.node_id, t.vmid),
    index('unconfirmed_flows_waiting_idx').on(t.cluster_id, t.id).where(sql`state = 'waiting'`),
    index('unconfirmed_flows_observed_idx').using('brin', t.observed_at).with({ pages_per_range: 32 }),
    check('unconfirmed_flows_state', sql`${t.state} in ('waiting', 'refused')`),
  ],
);

/** Counters of a node's interfaces over time: totals since the interface exists, as the node sees them. */
export const interfaceSamples = pgTable(
  'interface_samples',
  {
    node_id: uuid().notNull(),
    name: text().notNull(),
    observed_at: timestamptz().notNull(),
    kind: text().notNull(),
    vmid: integer(),
    nic: smallint(),
    workload_id: uuid(),
    rx_bytes: counter().notNull(),
    rx_packets: counter().notNull(),
    rx_errors: counter().notNull(),
    rx_dropped: counter().notNull(),
    tx_bytes: counter().notNull(),
    tx_packets: counter().notNull(),
    tx_errors: counter().notNull(),
    tx_dropped: counter().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.node_id, t.name, t.observed_at] }),
    index('interface_samples_observed_idx').using('brin', t.observed_at).with({ pages_per_range: 32 }),
  ],
);

/** Traffic of guest NICs while there are no flows, seen from the guest: what is new since the heartbeat before. */
export const interfaceTraffic = pgTable(
  'interface_traffic',
  {
    node_id: uuid().notNull(),
    interface: text().notNull(),
    observed_at: timestamptz().notNull(),
    cluster_id: uuid().notNull(),
    vmid: integer().notNull(),
    nic: smallint().notNull(),
    workload_id: uuid(),
    rx_bytes: counter().notNull(),
    rx_packets: counter().notNull(),
    tx_bytes: counter().notNull(),
    tx_packets: counter().notNull(),
    bytes: counter().notNull(),
    packets: counter().notNull(),
    collector: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.node_id, t.interface, t.observed_at] }),
    index('interface_traffic_observed_idx').using('brin', t.observed_at).with({ pages_per_range: 32 }),
  ],
);
