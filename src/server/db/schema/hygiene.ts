import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { FindingDetail, HygieneCheck } from '@/domain/hygiene/finding';
import { HYGIENE_KINDS } from '@/domain/hygiene/kinds';
import { primaryId, timestampNow } from '../columns';
import { policies } from './policies';
import { workloads } from './workloads';

/** What the last check found about rules of policies, and about unmanaged rules of workloads. */
export const hygieneFindings = pgTable(
  'hygiene_findings',
  {
    id: primaryId(),
    /** What it is about: the same finding keeps its ID from check to check. */
    key: text().notNull(),
    kind: text({ enum: HYGIENE_KINDS }).notNull(),
    /** How harmful it is, 0 to 100. */
    score: integer().notNull(),
    policy_id: uuid().references(() => policies.id, { onDelete: 'cascade' }),
    policy_version: integer(),
    rule_id: uuid(),
    rule_position: integer(),
    /** Of an unmanaged rule. */
    workload_id: uuid().references(() => workloads.id, { onDelete: 'cascade' }),
    subject: text().notNull(),
    workloads_affected: integer().notNull(),
    workloads_total: integer().notNull(),
    detail: jsonb().$type<FindingDetail>().notNull(),
    first_seen_at: timestampNow(),
    last_seen_at: timestampNow(),
  },
  (t) => [
    uniqueIndex('hygiene_findings_key').on(t.key),
    index('hygiene_findings_policy_idx').on(t.policy_id),
    index('hygiene_findings_workload_idx').on(t.workload_id),
    index('hygiene_findings_score_idx').on(t.score, t.id),
    check('hygiene_findings_owner', sql`(${t.policy_id} is null) <> (${t.workload_id} is null)`),
  ],
);

/** What the last check could claim nothing about: workloads of a policy, or a workload's own list. */
export const hygieneChecks = pgTable(
  'hygiene_checks',
  {
    id: primaryId(),
    policy_id: uuid().references(() => policies.id, { onDelete: 'cascade' }),
    workload_id: uuid().references(() => workloads.id, { onDelete: 'cascade' }),
    unknown: jsonb().$type<HygieneCheck['unknown']>().notNull(),
  },
  (t) => [
    index('hygiene_checks_policy_idx').on(t.policy_id),
    index('hygiene_checks_workload_idx').on(t.workload_id),
    check('hygiene_checks_owner', sql`(${t.policy_id} is null) <> (${t.workload_id} is null)`),
  ],
);
