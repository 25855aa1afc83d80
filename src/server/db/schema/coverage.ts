import { bigint, date, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { COVERAGE_MODES } from '@/domain/coverage';
import { timestamptz } from '../columns';
import { nodes } from './clusters';

const count = () => bigint({ mode: 'number' }).notNull().default(0);

/** How far the flows of a node have been counted for coverage. */
export const coverageMarks = pgTable('coverage_marks', {
  node_id: uuid()
    .primaryKey()
    .references(() => nodes.id, { onDelete: 'cascade' }),
  /** Flows last seen before this are not evaluated: other rules may have been live then. */
  since: timestamptz().notNull(),
  /** Flows that were stored before are counted. */
  until: timestamptz().notNull(),
});

/**
 * How often a rule of a policy matched a flow at a guest, per day (UTC). Outlives policy and guest until it expires.
 * The hash identifies a rule's content; version and position locate that content in the policy's history.
 */
export const ruleHits = pgTable(
  'rule_hits',
  {
    day: date({ mode: 'string' }).notNull(),
    policy_id: uuid().notNull(),
    workload_id: uuid().notNull(),
    rule_hash: text().notNull(),
    /** `audit`: it would have decided. */
    mode: text({ enum: COVERAGE_MODES }).notNull(),
    policy_version: integer().notNull(),
    /** Null: not known any more. */
    rule_position: integer(),
    /** Conversations that began. */
    hits: count(),
    /** The newest packet, also of conversations that began earlier. */
    last_hit_at: timestamptz().notNull(),
  },
  (t) => [
    primaryKey({ name: 'rule_hits_key', columns: [t.policy_id, t.day, t.workload_id, t.rule_hash, t.mode] }),
    index('rule_hits_workload_idx').on(t.workload_id, t.day),
    index('rule_hits_day_idx').using('brin', t.day).with({ pages_per_range: 32 }),
  ],
);

/** By what the conversations of a guest that began on a day (UTC) were decided; the five add up to `flows`. */
export const workloadCoverage = pgTable(
  'workload_coverage',
  {
    day: date({ mode: 'string' }).notNull(),
    workload_id: uuid().notNull(),
    flows: count(),
    by_policy: count(),
    by_other_rule: count(),
    by_audit: count(),
    by_default: count(),
    observed: count(),
    /** Of them, those about which the firewall's log says something else than its rules. */
    conflicts: count(),
    last_flow_at: timestamptz().notNull(),
  },
  (t) => [
    primaryKey({ name: 'workload_coverage_key', columns: [t.workload_id, t.day] }),
    index('workload_coverage_day_idx').using('brin', t.day).with({ pages_per_range: 32 }),
  ],
);
