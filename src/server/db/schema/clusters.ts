import { type SQL, sql } from 'drizzle-orm';
import { bigint, boolean, check, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { inet, primaryId, timestampNow, timestamptz } from '../columns';
import { buildNaturalKey } from '../natural-order';

export const clusters = pgTable(
  'clusters',
  {
    id: primaryId(),
    name: text().notNull(),
    /** What the name sorts by. */
    sort_name: text()
      .notNull()
      .generatedAlwaysAs((): SQL => buildNaturalKey(clusters.name)),
    api_url: text().notNull(),
    /** SHA-256 of the pinned leaf certificate, upper-case hex pairs with colons. */
    tls_fingerprint: text(),
    /** PEM of the cluster's own CA, learnt over a trusted connection. */
    tls_ca: text(),
    /** AES-256-GCM, see lib/secret-box; `api_token_key_id` names the key. */
    api_token_encrypted: text(),
    api_token_key_id: text(),
    rule_placement: text({ enum: ['above', 'below'] })
      .notNull()
      .default('above'),
    /** Other nodes' API addresses, learnt by syncs, for failover: [{node, url, fingerprint}]. */
    entry_points: jsonb().$type<{ node: string; url: string; fingerprint: string | null }[]>().notNull().default([]),
    provider_version: text(),
    provider_name: text(),
    quorate: boolean(),
    firewall_enabled: boolean(),
    /** Privileges without which the token cannot write any firewall; empty: none is missing. Null: not known. */
    missing_write_privileges: text().array(),
    sync_status: text({ enum: ['never', 'queued', 'running', 'ok', 'failed'] })
      .notNull()
      .default('never'),
    last_sync_at: timestamptz(),
    last_sync_error: text(),
    last_sync_error_code: text(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('clusters_name_key').on(t.name),
    check('clusters_sync_status', sql`${t.sync_status} in ('never', 'queued', 'running', 'ok', 'failed')`),
    check('clusters_rule_placement', sql`${t.rule_placement} in ('above', 'below')`),
    check('clusters_api_url', sql`${t.api_url} ~ '^https://'`),
    check('clusters_token_key', sql`(${t.api_token_encrypted} is null) = (${t.api_token_key_id} is null)`),
  ],
);

export const nodes = pgTable(
  'nodes',
  {
    id: primaryId(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** What the name sorts by. */
    sort_name: text()
      .notNull()
      .generatedAlwaysAs((): SQL => buildNaturalKey(nodes.name)),
    status: text({ enum: ['online', 'offline', 'unknown'] })
      .notNull()
      .default('unknown'),
    address: inet(),
    provider_version: text(),
    /** Which firewall the node runs; null when it could not be read. */
    nftables: boolean(),
    tls_fingerprint: text(),
    cpu_count: integer(),
    memory_bytes: bigint({ mode: 'number' }),
    /** When it last booted: unlike an uptime it stays the same from one sync to the next. */
    started_at: timestamptz(),
    /** Why the node counts as faulty, null when it does not. */
    fault: text(),
    missing_since: timestamptz(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('nodes_cluster_name_key').on(t.cluster_id, t.name),
    check('nodes_status', sql`${t.status} in ('online', 'offline', 'unknown')`),
  ],
);

/** The token of an agent that reported was replaced by another enrollment. */
export type TokenReplacement = {
  at: string;
  enrolment_id: string;
  /** Who created the enrollment token; null: the service itself. */
  user_id: string | null;
  user_name: string | null;
  last_heartbeat_at: string | null;
  machine_id: string;
  previous_machine_id: string | null;
};

/** What an agent has read and lost since it started. */
export type LossCounters = { packets_lost: number; log_lines: number; log_lines_lost: number };

/** The agent of one node; telemetry fills the rest. */
export const nodeAgents = pgTable(
  'node_agents',
  {
    node_id: uuid()
      .primaryKey()
      .references(() => nodes.id, { onDelete: 'cascade' }),
    status: text({ enum: ['pending', 'ok', 'degraded', 'silent'] })
      .notNull()
      .default('pending'),
    agent_version: text(),
    machine_id: text(),
    token_hash: text(),
    last_heartbeat_at: timestamptz(),
    clock_offset_ms: integer(),
    /** Seconds between heartbeats, as the agent said last. */
    interval_seconds: integer(),
    enrolled_at: timestamptz(),
    /** Of the newest heartbeat, as the agent wrote them: later ones with an older `sent_at` were kept during an outage. */
    last_boot_id: uuid(),
    last_sequence: bigint({ mode: 'number' }),
    last_sent_at: timestamptz(),
    firewall_status: jsonb(),
    nftables_ruleset_hash: text(),
    /** When the first heartbeat with this hash came. */
    ruleset_changed_at: timestamptz(),
    /** What its newest heartbeat said about the hypervisor's own rules and the interfaces of guests; null: nothing. */
    enforcement: jsonb(),
    /** When the first heartbeat with these rules of the hypervisor came. */
    enforcement_changed_at: timestamptz(),
    payload: jsonb(),
    /** Counters of its newest heartbeat that count since the agent started: the next one shows what was lost since. */
    loss_counters: jsonb().$type<LossCounters>(),
    /** The last time that the node's token was replaced while its agent reported. */
    token_replacement: jsonb().$type<TokenReplacement>(),
    /** When a refusal of its reports was last recorded in the audit trail. */
    refusal_recorded_at: timestamptz(),
    /** When reports of it were last confirmed later, and when the oldest flow was observed that came in this way and is not counted yet. */
    confirmed_at: timestamptz(),
    confirmed_from: timestamptz(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('node_agents_token_key').on(t.token_hash),
    check('node_agents_status', sql`${t.status} in ('pending', 'ok', 'degraded', 'silent')`),
  ],
);
