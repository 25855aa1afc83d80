import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { IMPACT_OUTCOMES } from '@/domain/choices';
import type { ImpactConversation } from '@/domain/impact/impact';
import type { ImpactChange, ImpactFindings, ImpactReader } from '@/domain/impact/stored-impact';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { changes } from './changes';
import { policies } from './policies';

/** What a change to a policy does to connections, computed once for everyone who asks with the same reach. */
export const impacts = pgTable(
  'impacts',
  {
    id: primaryId(),
    /** Hash of name, content, live state, window and reader. One with the same key is not computed again. */
    key: text().notNull(),
    /** Null: a draft, or a change. */
    policy_id: uuid().references(() => policies.id, { onDelete: 'cascade' }),
    /** Set: what all edits of this change do. */
    change_id: uuid().references(() => changes.id, { onDelete: 'cascade' }),
    policy_name: text().notNull(),
    /** The policy with the change, and whether it is applied or removed; or the edits of a change. */
    change: jsonb().$type<ImpactChange>().notNull(),
    content_hash: text().notNull(),
    /** Hash of what was last read of everything that the change concerns, and of what the change leaves there. */
    live_hash: text().notNull(),
    /** The same of what the reader may see of it. */
    shown_hash: text().notNull().default(''),
    /** Where the reader sees policies, tests and flows; only who sees the same may read the impact. */
    reader: jsonb().$type<ImpactReader>().notNull(),
    since: timestamptz().notNull(),
    until: timestamptz().notNull(),
    source: text({ enum: ['flows', 'hours'] }).notNull(),
    status: text({ enum: ['queued', 'running', 'done', 'failed'] })
      .notNull()
      .default('queued'),
    progress: real().notNull().default(0),
    /** Rows of conversations by outcome, of those found so far. */
    totals: jsonb().$type<Record<(typeof IMPACT_OUTCOMES)[number], number>>(),
    /** Everything but conversations; null until it is computed. */
    findings: jsonb().$type<ImpactFindings>(),
    message: text(),
    /** When an apply acknowledged what it newly blocks. */
    acknowledged_at: timestamptz(),
    lease_owner: text(),
    lease_at: timestamptz(),
    attempts: integer().notNull().default(0),
    created_at: timestampNow(),
    started_at: timestamptz(),
    finished_at: timestamptz(),
  },
  (t) => [
    uniqueIndex('impacts_key').on(t.key).where(sql`${t.status} <> 'failed'`),
    index('impacts_policy_idx').on(t.policy_id),
    index('impacts_change_idx').on(t.change_id).where(sql`${t.change_id} is not null`),
    index('impacts_status_idx').on(t.status, t.id),
    check('impacts_source', sql`${t.source} in ('flows', 'hours')`),
    check('impacts_status', sql`${t.status} in ('queued', 'running', 'done', 'failed')`),
    check('impacts_window', sql`${t.since} < ${t.until}`),
    check('impacts_finished', sql`(${t.finished_at} is not null) = (${t.status} in ('done', 'failed'))`),
  ],
);

/** The most harmful conversations of an impact, as its reader sees them. */
export const impactConversations = pgTable(
  'impact_conversations',
  {
    impact_id: uuid()
      .notNull()
      .references(() => impacts.id, { onDelete: 'cascade' }),
    /** Its place, most harmful first, from 1. */
    id: integer().notNull(),
    outcome: text({ enum: IMPACT_OUTCOMES }).notNull(),
    client_workload_id: uuid(),
    server_workload_id: uuid(),
    /** Names or prefixes, to search and sort by. */
    client: text().notNull(),
    server: text().notNull(),
    port: integer(),
    bytes: bigint({ mode: 'number' }).notNull(),
    flows: integer().notNull(),
    last_seen_at: timestamptz().notNull(),
    conversation: jsonb().$type<ImpactConversation>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.impact_id, t.id] }),
    check(
      'impact_conversations_outcome',
      sql`${t.outcome} in ('newly_blocked', 'unknown', 'newly_allowed', 'still_blocked', 'still_allowed')`,
    ),
  ],
);
