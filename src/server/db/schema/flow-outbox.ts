import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, timestampNow, timestamptz } from '../columns';

/** What a node has reported of one direction and decision: when last, whether it was closed then, and the agent's own totals. */
export type ReportedState = readonly [
  observed_ms: number,
  is_closed: 0 | 1,
  reported_bytes: number | null,
  reported_packets: number | null,
];

/**
 * With ClickHouse as the store of flows: conversations that may still continue, and what the nodes have reported of them, as far as
 * the next report needs it. Goes when nothing was reported for longer than an agent keeps what it cannot send.
 */
export const openConversations = pgTable(
  'open_conversations',
  {
    /** Hash of cluster, addresses, ports and protocol, in either direction. */
    conversation_key: uuid().notNull(),
    /** How many conversations with the key there were before it. */
    ordinal: integer().notNull(),
    id: uuid().notNull(),
    /** Counts the writes: 1 is a new one. */
    revision: integer().notNull(),
    is_final: boolean().notNull().default(false),
    /** Workloads at the end that sorts first and at the other one, and at whose interface it was seen. */
    low_workload_id: uuid(),
    high_workload_id: uuid(),
    observer_id: uuid(),
    first_seen_at: timestamptz().notNull(),
    last_seen_at: timestamptz().notNull(),
    /** By node, direction and decision. */
    reports: jsonb().$type<Record<string, ReportedState>>().notNull(),
    /** An end became known after it was stored: it may be a part of another one. */
    is_merge_due: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.conversation_key, t.ordinal] }),
    // Ends hardly ever change, so updates touch none of these.
    index('open_conversations_low_idx').on(t.low_workload_id).where(sql`low_workload_id is not null`),
    index('open_conversations_high_idx').on(t.high_workload_id).where(sql`high_workload_id is not null`),
    index('open_conversations_observer_idx')
      .on(t.observer_id)
      .where(sql`low_workload_id is null and high_workload_id is null`),
    index('open_conversations_merge_idx').on(t.conversation_key).where(sql`is_merge_due`),
    index('open_conversations_seen_idx')
      .using('brin', t.last_seen_at)
      .with({ pages_per_range: 32, autosummarize: true }),
  ],
);

export type OutboxTarget = 'incoming_flows' | 'incoming_ends' | 'incoming_moves';

/** Rows on their way to ClickHouse, in its own format: written with what they follow from, deleted when they have arrived. */
export const flowOutbox = pgTable(
  'flow_outbox',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    node_id: uuid().notNull(),
    cluster_id: uuid().notNull(),
    /** The first of those that are sent together, each time; null: not sent so far. */
    batch: bigint({ mode: 'number' }),
    /** By that of the first one ClickHouse recognizes a batch that is sent again, whatever became of this database in between. */
    token: uuid().notNull().defaultRandom(),
    /** The table that they are inserted into. */
    target: text().$type<OutboxTarget>().notNull(),
    /** When the transaction began: what it changes is settled later. */
    created_at: timestampNow(),
    row_count: integer().notNull(),
    /** The five minutes whose totals change. */
    buckets: timestamptz().array().notNull(),
    rows: bytea().notNull(),
  },
  (t) => [
    index('flow_outbox_node_idx').on(t.node_id),
    index('flow_outbox_batch_idx').on(t.batch).where(sql`batch is not null`),
  ],
);

/**
 * What ClickHouse refuses whenever it is sent, taken out of the outbox so that it holds nothing else: kept as it was until it is put back.
 * Few rows: when very many are refused, the fault is not theirs.
 */
export const refusedFlows = pgTable('refused_flows', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  node_id: uuid().notNull(),
  cluster_id: uuid().notNull(),
  token: uuid().notNull(),
  target: text().$type<OutboxTarget>().notNull(),
  created_at: timestamptz().notNull(),
  refused_at: timestampNow(),
  /** What ClickHouse answered. */
  reason: text().notNull(),
  row_count: integer().notNull(),
  buckets: timestamptz().array().notNull(),
  rows: bytea().notNull(),
});

/** One row once flows were stored in ClickHouse or moved: which store has them. No process may start with another one. */
export const flowStorage = pgTable('flow_storage', {
  engine: text().$type<'postgres' | 'clickhouse'>().notNull(),
  since: timestampNow(),
  /** Which ClickHouse (`fabric_store.id` there); null: not known yet. */
  store_id: uuid(),
});
