import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { timestampNow, timestamptz } from '../columns';

const total = () => bigint({ mode: 'number' }).notNull().default(0);

/** Moves of stored flows to another store. At most one is not finished; until its history has moved, parts of it are in neither answer. */
export const flowMoves = pgTable('flow_moves', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  /** The store that they move to. */
  engine: text().$type<'postgres' | 'clickhouse'>().notNull(),
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
  },
  (t) => [primaryKey({ columns: [t.move_id, t.kind, t.day] })],
);
