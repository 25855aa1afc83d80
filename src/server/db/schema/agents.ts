import { EDITED_OBJECTS } from '@fabric/agent-contract/limits';
import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { primaryId, timeSpans, timestampNow, timestamptz } from '../columns';
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

/** Who edited firewalls of a cluster in the last day, as the access logs of its nodes say; not what. */
export const hypervisorEdits = pgTable(
  'hypervisor_edits',
  {
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    object: text({ enum: EDITED_OBJECTS }).notNull(),
    /** 0: the cluster's own. */
    vmid: integer().notNull(),
    at: timestamptz().notNull(),
    user_name: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.cluster_id, t.object, t.vmid, t.at, t.user_name] }),
    index('hypervisor_edits_at_idx').on(t.at),
    check('hypervisor_edits_object', sql`${t.object} in ('guest_firewall', 'guest_config', 'cluster_firewall')`),
  ],
);

const total = () => bigint({ mode: 'number' }).notNull();

/**
 * What the heartbeats of a node covered and what was lost, by hour (UTC): how far conversations observed there are complete. Of late
 * heartbeats as well, in the hours that they cover. Kept as long as hourly aggregates.
 */
export const agentHours = pgTable(
  'agent_hours',
  {
    node_id: uuid()
      .notNull()
      .references(() => nodes.id, { onDelete: 'cascade' }),
    hour_at: timestamptz().notNull(),
    /** Those that ended in the hour. */
    heartbeats: integer().notNull(),
    /** The longest of them. */
    interval_seconds: integer().notNull(),
    /** The time that heartbeats cover; with packet capture that works; with connection tracking that can be read. */
    reported: timeSpans().notNull(),
    captured: timeSpans().notNull(),
    tracked: timeSpans().notNull(),
    /** Flows that the agent saw, those that it left out, and those that were rejected. */
    flows_seen: total(),
    flows_left_out: total(),
    flows_rejected: total(),
    packets_seen: total(),
    /** Packets that the capture counted for no flow. */
    packets_lost: total(),
    /** Lines about packets in the firewall and kernel logs, and lines that could not be read or kept. */
    log_lines: total(),
    log_lines_lost: total(),
  },
  (t) => [
    primaryKey({ columns: [t.node_id, t.hour_at] }),
    index('agent_hours_hour_idx').using('brin', t.hour_at).with({ pages_per_range: 32 }),
    check('agent_hours_hour', sql`mod(extract(epoch from ${t.hour_at}), 3600) = 0`),
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
