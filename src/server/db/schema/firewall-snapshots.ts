import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { CompileFailure } from '@/domain/firewall/compile-failure';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { timestampNow, timestamptz } from '../columns';
import { clusters } from './clusters';
import { workloads } from './workloads';

/** Content of a guest's firewall when it was last read. Losing it costs nothing: it is read again. */
export const guestFirewallSnapshots = pgTable(
  'guest_firewall_snapshots',
  {
    workload_id: uuid()
      .primaryKey()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    read_at: timestamptz().notNull(),
    /** When this state was first read, kept by a trigger; after a move to another project the time of that. */
    first_read_at: timestampNow(),
    /** Hash of `state`: equal means that nothing changed between two readings. */
    state_hash: text().notNull(),
    state: jsonb().$type<GuestSnapshot>().notNull(),
    /** What of it keeps the firewall of its node from being compiled. */
    compile_failures: jsonb().$type<readonly CompileFailure[]>().notNull().default([]),
  },
  (t) => [
    index('guest_firewall_snapshots_cluster_idx').on(t.cluster_id),
    index('guest_firewall_snapshots_compile_idx').on(t.cluster_id).where(sql`${t.compile_failures} <> '[]'`),
  ],
);

/** The same for what all guests of a cluster share. */
export const clusterFirewallSnapshots = pgTable('cluster_firewall_snapshots', {
  cluster_id: uuid()
    .primaryKey()
    .references(() => clusters.id, { onDelete: 'cascade' }),
  read_at: timestamptz().notNull(),
  first_read_at: timestampNow(),
  state_hash: text().notNull(),
  state: jsonb().$type<ClusterSnapshot>().notNull(),
});

/**
 * Since when a guest's packets are filtered as they were last read: of everything that decides, not of comments or disabled rules.
 * Losing it costs nothing but the knowledge of when the last edit was.
 */
export const guestFilters = pgTable('guest_filters', {
  workload_id: uuid()
    .primaryKey()
    .references(() => workloads.id, { onDelete: 'cascade' }),
  filter_hash: text().notNull(),
  /** When it was last read: what was read was live then or later. */
  read_at: timestamptz().notNull(),
  /** When it was first read completely. */
  changed_at: timestamptz().notNull(),
  /** When it was last read as it was before; null: it has not been read otherwise. */
  unchanged_at: timestamptz(),
});
