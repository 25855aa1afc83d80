import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { nodes } from './clusters';

/** Heartbeats of the last day: a repeated one is recognised and gets the answer of the first. */
export const agentHeartbeats = pgTable(
  'agent_heartbeats',
  {
    node_id: uuid()
      .notNull()
      .references(() => nodes.id, { onDelete: 'cascade' }),
    boot_id: uuid().notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    received_at: timestamptz().notNull(),
    accepted: integer().notNull(),
    updated: integer().notNull(),
    /** Flows that wait until the place of their workload is confirmed. */
    unconfirmed: integer().notNull().default(0),
    rejected_count: integer().notNull(),
    /** The first of them: [{index, reason}]. */
    rejected: jsonb().$type<{ index: number; reason: string }[]>().notNull(),
    /** When the oldest of its flows was last observed: who reads what is new need not look at older ones. */
    oldest_observed_at: timestamptz(),
  },
  (t) => [
    primaryKey({ columns: [t.node_id, t.boot_id, t.sequence] }),
    index('agent_heartbeats_received_idx').using('brin', t.received_at).with({ pages_per_range: 32 }),
  ],
);

/** One-time tokens by which a node's agent gets its own token; kept by SHA-256. */
export const agentEnrolments = pgTable(
  'agent_enrolments',
  {
    id: primaryId(),
    node_id: uuid()
      .notNull()
      .references(() => nodes.id, { onDelete: 'cascade' }),
    token_hash: text().notNull(),
    created_by: uuid(),
    created_at: timestampNow(),
    expires_at: timestamptz().notNull(),
    used_at: timestamptz(),
  },
  (t) => [
    unique('agent_enrolments_token_key').on(t.token_hash),
    index('agent_enrolments_node_idx').on(t.node_id),
    check('agent_enrolments_life', sql`${t.expires_at} > ${t.created_at}`),
  ],
);
