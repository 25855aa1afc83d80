import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { clusters, nodes } from './clusters';

/** Heartbeats of the last day: a repeated one is recognized and gets the answer of the first. */
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

/** A node that got its token by an enrollment token for many nodes. */
export type EnrolledNode = { node_id: string; node_name: string; machine_id: string; at: string };

/**
 * Enrollment tokens, by which a node's agent gets its own token; kept by SHA-256. Either for one node, whatever token it has, or for
 * the nodes of a cluster that have no token in use.
 */
export const agentEnrolments = pgTable(
  'agent_enrolments',
  {
    id: primaryId(),
    node_id: uuid().references(() => nodes.id, { onDelete: 'cascade' }),
    cluster_id: uuid().references(() => clusters.id, { onDelete: 'cascade' }),
    /** The only nodes of the cluster it is for; null: all of them. */
    node_ids: uuid().array(),
    description: text().notNull().default(''),
    token_hash: text().notNull(),
    created_by: uuid(),
    created_by_name: text(),
    created_at: timestampNow(),
    expires_at: timestamptz().notNull(),
    /** Of the last use. */
    used_at: timestamptz(),
    max_uses: integer().notNull().default(1),
    uses: integer().notNull().default(0),
    enrolled: jsonb().$type<EnrolledNode[]>().notNull().default([]),
    revoked_at: timestamptz(),
    revoked_by_name: text(),
  },
  (t) => [
    unique('agent_enrolments_token_key').on(t.token_hash),
    index('agent_enrolments_node_idx').on(t.node_id),
    index('agent_enrolments_cluster_idx').on(t.cluster_id),
    check('agent_enrolments_life', sql`${t.expires_at} > ${t.created_at}`),
    check('agent_enrolments_for', sql`(${t.node_id} is null) <> (${t.cluster_id} is null)`),
    check('agent_enrolments_uses', sql`${t.uses} between 0 and ${t.max_uses}`),
  ],
);
