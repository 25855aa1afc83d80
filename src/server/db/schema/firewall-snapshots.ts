import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { CompileFailure } from '@/domain/firewall/compile-failure';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { timestamptz } from '../columns';
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
  state_hash: text().notNull(),
  state: jsonb().$type<ClusterSnapshot>().notNull(),
});
