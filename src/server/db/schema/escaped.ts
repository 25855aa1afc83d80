import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, smallint, text, unique, uuid } from 'drizzle-orm/pg-core';
import { ESCAPE_REASONS } from '@/domain/choices';
import { CHAIN_LINKS, LINK_DETAIL_NAMES } from '@/domain/enforcement-chain/link-details';
import { inet, primaryId, timestamptz } from '../columns';
import { workloads } from './workloads';

/** Conversations that passed although the rules of a workload deny them. Kept for a week. */
export const escapedConversations = pgTable(
  'escaped_conversations',
  {
    id: primaryId(),
    /** Whose rules deny it, and its project then. */
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    project_id: uuid(),
    nic: smallint(),
    direction: text({ enum: ['in', 'out'] }).notNull(),
    client_ip: inet().notNull(),
    client_port: integer(),
    server_ip: inet().notNull(),
    server_port: integer(),
    protocol: text().notNull(),
    /** Null: not decided yet whether the rules were live. */
    reason: text({ enum: ESCAPE_REASONS }),
    broken_link: text({ enum: CHAIN_LINKS }),
    /** What was found of the broken link. */
    broken_detail: text({ enum: LINK_DETAIL_NAMES }),
    log_accepted: boolean().notNull(),
    denied_by: text().notNull(),
    /** The policy of the rule that denies it. It may have been deleted since. */
    policy_id: uuid(),
    /** The workload at the other end. It may have been deleted since. */
    peer_workload_id: uuid(),
    /** Of the filter that denies it, as in `guest_filters`. */
    filter_hash: text().notNull(),
    start_known: boolean().notNull(),
    watched_since: timestamptz().notNull(),
    first_seen_at: timestamptz().notNull(),
    last_seen_at: timestamptz().notNull(),
    found_at: timestamptz().notNull(),
  },
  (t) => [
    unique('escaped_conversations_key')
      .on(t.workload_id, t.direction, t.client_ip, t.client_port, t.server_ip, t.server_port, t.protocol, t.filter_hash)
      .nullsNotDistinct(),
    index('escaped_conversations_seen_idx').on(t.last_seen_at),
    index('escaped_conversations_open_idx').on(t.found_at).where(sql`reason is null`),
    check('escaped_conversations_direction', sql`${t.direction} in ('in', 'out')`),
  ],
);
