import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { inet, primaryId, timestampNow, timestamptz } from '../columns';
import { clusters } from './clusters';

export type StageCounters = {
  seen: number;
  created: number;
  changed: number;
  removed: number;
  skipped: number;
  errors: number;
};
export type RunError = { stage: string; object?: string; code: string; message: string; remedy?: string };

/** One run of a reconciler over one cluster. At most one per cluster and kind is queued or running. */
export const syncRuns = pgTable(
  'sync_runs',
  {
    id: primaryId(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['inventory', 'ipam'] }).notNull(),
    status: text({ enum: ['queued', 'running', 'ok', 'failed'] }).notNull(),
    trigger: text({ enum: ['manual', 'auto', 'setup'] }).notNull(),
    requested_by: uuid(),
    stage: text(),
    progress_done: integer().notNull().default(0),
    progress_total: integer(),
    counters: jsonb().$type<Record<string, StageCounters>>().notNull().default({}),
    errors: jsonb().$type<RunError[]>().notNull().default([]),
    /** The processor that works on it and when it last said so: a run without a sign of life is taken over. */
    lease_owner: text(),
    lease_at: timestamptz(),
    attempts: integer().notNull().default(0),
    created_at: timestampNow(),
    started_at: timestamptz(),
    finished_at: timestamptz(),
  },
  (t) => [
    uniqueIndex('sync_runs_one_active').on(t.cluster_id, t.kind).where(sql`status in ('queued', 'running')`),
    index('sync_runs_cluster_idx').on(t.cluster_id, t.created_at),
    check('sync_runs_kind', sql`${t.kind} in ('inventory', 'ipam')`),
    check('sync_runs_status', sql`${t.status} in ('queued', 'running', 'ok', 'failed')`),
    check('sync_runs_trigger', sql`${t.trigger} in ('manual', 'auto', 'setup')`),
    check('sync_runs_finished', sql`(${t.finished_at} is not null) = (${t.status} in ('ok', 'failed'))`),
  ],
);

/** Who did what. Append-only (a trigger refuses update, delete and truncate); each row carries the hash of the one before. */
export const auditRecords = pgTable(
  'audit_records',
  {
    seq: bigint({ mode: 'number' }).primaryKey(),
    id: uuid().notNull(),
    at: timestamptz().notNull(),
    actor_kind: text({ enum: ['user', 'system', 'agent', 'anonymous'] }).notNull(),
    actor_id: uuid(),
    actor_name: text().notNull(),
    tenant_id: uuid(),
    action: text().notNull(),
    object_kind: text().notNull(),
    object_id: text(),
    object_name: text(),
    before: jsonb().$type<Record<string, unknown>>(),
    after: jsonb().$type<Record<string, unknown>>(),
    request_id: text(),
    source_address: inet(),
    previous_hash: text().notNull(),
    hash: text().notNull(),
  },
  (t) => [
    uniqueIndex('audit_records_id_key').on(t.id),
    index('audit_records_at_idx').on(t.at),
    index('audit_records_object_idx').on(t.object_kind, t.object_id, t.seq),
    index('audit_records_actor_idx').on(t.actor_id, t.seq),
    index('audit_records_tenant_idx').on(t.tenant_id, t.seq),
  ],
);

/**
 * Where the trail was cut: records up to `seq`, whose hash is `hash`, were removed because their time was up. A trigger lets
 * the application delete what a checkpoint covers and nothing else; checkpoints themselves are append-only.
 */
export const auditCheckpoints = pgTable('audit_checkpoints', {
  seq: bigint({ mode: 'number' }).primaryKey(),
  hash: text().notNull(),
  /** Records that this cut removed. */
  removed: bigint({ mode: 'number' }).notNull(),
  created_at: timestampNow(),
});

/** Stored settings by key: `setup`, `runtime`, `instance`. */
export const systemSettings = pgTable('system_settings', {
  key: text().primaryKey(),
  value: jsonb().notNull(),
  version: integer().notNull().default(1),
  updated_at: timestampNow(),
});
