import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { DRIFT_KINDS } from '@/domain/change/drift-kinds';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { workloads } from './workloads';

/** Differences between the live and the applied state of policies at workloads, from when they were first seen. Rows outlive the policy. */
export const drifts = pgTable(
  'drifts',
  {
    id: primaryId(),
    policy_id: uuid().notNull(),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    kind: text({ enum: DRIFT_KINDS }).notNull(),
    /** Distinguishes differences of one kind: the rule, set, interface or direction. */
    subject_key: text().notNull(),
    subject: text().notNull(),
    rule_id: uuid(),
    desired: text(),
    last_applied: text(),
    live: text(),
    /** Hash of the live content. An acceptance covers this content only. */
    live_hash: text().notNull(),
    /** When the workload was last read with other live content, and first with this: it was edited in between. Null: not known. */
    unchanged_at: timestamptz(),
    changed_until: timestamptz(),
    changed_by: text(),
    changed_at: timestamptz(),
    accepted_hash: text(),
    accepted_until: timestamptz(),
    accepted_reason: text(),
    accepted_by: uuid(),
    accepted_by_name: text(),
    first_seen_at: timestampNow(),
    last_seen_at: timestampNow(),
    /** Null: it is still there, as far as is known. */
    resolved_at: timestamptz(),
  },
  (t) => [
    uniqueIndex('drifts_open_key')
      .on(t.policy_id, t.workload_id, t.kind, t.subject_key)
      .where(sql`resolved_at is null`),
    index('drifts_workload_idx').on(t.workload_id),
    index('drifts_accepted_idx').on(t.accepted_until).where(sql`resolved_at is null and accepted_until is not null`),
    index('drifts_seen_idx').on(t.first_seen_at, t.id),
    check('drifts_accepted', sql`(${t.accepted_until} is null) = (${t.accepted_hash} is null)`),
  ],
);
