import { bigint, boolean, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { timestampNow, timestamptz } from '../columns';
import { flowColumns, partColumns, rollupColumns } from './flows';

const total = () => bigint({ mode: 'number' }).notNull().default(0);

/** Moves of stored flows to another store. At most one is not finished; until its history has moved, parts of it are in neither answer. */
export const flowMoves = pgTable('flow_moves', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  /** The store that they move to. */
  engine: text().$type<'postgres' | 'clickhouse'>().notNull(),
  /** The ClickHouse that they move to or from; null: begun by an earlier release. */
  store_id: uuid(),
  started_at: timestampNow(),
  /** Since when flows are stored there; null: still where they were. */
  switched_at: timestamptz(),
  /** When the days to move were listed. */
  planned_at: timestamptz(),
  /** When the last day had moved, and both stores had agreed about all of them. */
  moved_at: timestamptz(),
  /** When the store before had been emptied, or was left as it is. */
  finished_at: timestamptz(),
});

/** One day of what moves. A row is never deleted before its move. */
export const flowMoveDays = pgTable(
  'flow_move_days',
  {
    move_id: bigint({ mode: 'number' })
      .notNull()
      .references(() => flowMoves.id, { onDelete: 'cascade' }),
    /** Totals by the minute and hour, or flows by the day in which their conversation began (1970: its id does not contain the time). */
    kind: text().$type<'totals' | 'flows'>().notNull(),
    day: timestamptz().notNull(),
    state: text().$type<'waiting' | 'attaching' | 'moved'>().notNull().default('waiting'),
    rows: total(),
    rows_moved: total(),
    /** How many pages have been copied, and how often copying began. */
    pages: integer().notNull().default(0),
    attempt: integer().notNull().default(1),
    /** Where the next page begins, where pages are found by their keys: written in the transaction of the page before. */
    position: text(),
  },
  (t) => [primaryKey({ columns: [t.move_id, t.kind, t.day] })],
);

/*
 * A day that moves to PostgreSQL is put together in tables like those of flows: nothing but the move writes there, and no page reads there.
 * Empty when no move is under way.
 */

/** Flows on their way, with what of their conversations does not follow from them. */
export const movingFlows = pgTable(
  'moving_flows',
  {
    ...flowColumns,
    conversation_key: uuid().notNull(),
    ordinal: integer().notNull(),
    is_final: boolean().notNull(),
    /** When a report or an end last changed it, by which its conversation settled. */
    changed_at: timestamptz().notNull(),
  },
  (t) => [index('moving_flows_conversation_idx').on(t.conversation_id)],
);

export const movingMinutes = pgTable('moving_minutes', rollupColumns);
export const movingHours = pgTable('moving_hours', rollupColumns);
export const movingParts = pgTable('moving_parts', partColumns);

/** Conversations that have been copied before the switch, each as of a revision of `open_conversations`. */
export const movingConversations = pgTable('moving_conversations', {
  id: uuid().primaryKey(),
  revision: integer().notNull(),
});
