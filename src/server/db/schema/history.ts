import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { timestamptz } from '../columns';

/*
 * Former versions of rows are in tables that the database function `track_history` makes: `past_workloads` has those of `workloads`.
 * The views of the schema `as_of` have each tracked table as it was at one time; `readPast` reads them.
 */

/** Since when history is complete: one row. */
export const historyStart = pgTable('history_start', {
  id: boolean().primaryKey().default(true),
  at: timestamptz().notNull(),
});

/** States of firewalls that are no longer live, each once. */
export const firewallStates = pgTable('firewall_states', {
  state_hash: text().primaryKey(),
  state: jsonb().$type<GuestSnapshot | ClusterSnapshot>().notNull(),
});

/**
 * Former readings of firewalls, written by triggers when a reading differs from the one before: read first at `from_at` and last at
 * `last_read_at`, superseded at `until_at`. The present ones are in `guest_firewall_snapshots` and `cluster_firewall_snapshots`.
 */
export const pastFirewalls = pgTable(
  'past_firewalls',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    kind: text({ enum: ['guest', 'cluster'] }).notNull(),
    /** The workload or cluster, which may be gone. */
    object_id: uuid().notNull(),
    cluster_id: uuid().notNull(),
    state_hash: text()
      .notNull()
      .references(() => firewallStates.state_hash),
    from_at: timestamptz().notNull(),
    last_read_at: timestamptz().notNull(),
    until_at: timestamptz().notNull(),
    /** Something else was read at `until_at`; false: the workload went to another project, or is gone. */
    replaced: boolean().notNull(),
  },
  (t) => [
    index('past_firewalls_object_idx').on(t.object_id, t.until_at),
    index('past_firewalls_until_idx').on(t.until_at),
    index('past_firewalls_state_idx').on(t.state_hash),
    check('past_firewalls_kind', sql`${t.kind} in ('guest', 'cluster')`),
  ],
);
