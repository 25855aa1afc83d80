import type postgres from 'postgres';
import { findPgError } from '../../../lib/pg-errors';
import type { Connection } from '../clickhouse/connection';
import type { StorageEngine } from '../clickhouse/storage-mark';
import { assertSameRows, assertSameTotals, type DayTotal } from './day-totals';
import { beginMove, findMove, listDays, type Move, type MoveDay, type MoveKind, noteStep } from './move-record';

/** Both stores, while flows move between them. */
export type Stores = { client: postgres.Sql; connection: Connection; store_id: string };

export type MoveOptions = {
  /** Leaves what the store before holds where it is, until its retention ends. */
  keep: boolean;
  page_rows?: number;
  /** Called when flows are stored in the other store from now on. */
  onSwitch?: () => void;
  /** Called with how many rows are left. */
  onPlan?: (rows: number) => void;
  /** Called after each page, and for each day when both stores agree about it. */
  onPage?: (rows: number) => void;
  onDay?: (day: MoveDay) => void;
  /** Fills in what was learned about flows while they were in neither store's answers. */
  fillEnds: () => Promise<void>;
};

/** What changes while conversations are copied is copied again, until so few are left that writers can wait for them. */
export const FEW = 2_000;
export const MOST_ROUNDS = 5;
/** A writer that took the tables in another order gives way, or the switch does. */
const LOCK_TRIES = 10;
export const LOCK_PATIENCE = '5s';
const CONTENDED = ['40P01', '55P03'];

/** Switches, again when others held the tables for too long. */
export async function tryUntilFree(finish: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await finish();
    } catch (error) {
      if (tries === LOCK_TRIES || !CONTENDED.includes(findPgError(error)?.code ?? '')) throw error;
    }
  }
}

/** How far a day is. */
type Change = Partial<Pick<MoveDay, 'state' | 'rows_moved' | 'pages' | 'attempt' | 'position'>>;

/** What a move from one store to the other consists of. Each step can be interrupted anywhere, and is then called again. */
export type MoveSteps = {
  engine: StorageEngine;
  /** @throws AppError `refused` when there is nothing that could move, or flows are where they would go */
  assertBothFit: () => Promise<void>;
  /** Has flows stored in the other store from now on, with the conversations that may continue. */
  switchOver: (move: Move) => Promise<void>;
  /** Tables in which one day at a time is put together, where they are not there anyway: nothing but the move writes there, and no page reads there. */
  createStaging: () => Promise<void>;
  planDays: (move: Move) => Promise<void>;
  emptyStaging: (kind: MoveKind) => Promise<void>;
  /** Copies what is left of a day. Interrupted anywhere, each page counts once. */
  copyDay: (move: Move, day: MoveDay, options: MoveOptions) => Promise<MoveDay>;
  updateDay: (move: Move, day: MoveDay, change: Change) => Promise<MoveDay>;
  /** How many rows of a day the store before has now, as they were counted when the days were listed. */
  countRows: (move: Move, day: MoveDay) => Promise<number>;
  /** What each store has of a day that has been copied, by the hour. */
  readTotals: (day: MoveDay) => Promise<{ from: DayTotal[]; to: DayTotal[] }>;
  /** Gives a day that is complete to the tables that are read. */
  attachDay: (move: Move, day: MoveDay) => Promise<MoveDay>;
  emptySource: () => Promise<void>;
  dropStaging: () => Promise<void>;
};

/** Copies a day, compares it in both stores, and has it read. */
async function moveDay(steps: MoveSteps, move: Move, day: MoveDay, options: MoveOptions): Promise<void> {
  let at = day;
  if (at.state === 'waiting') {
    if (at.pages === 0) await steps.emptyStaging(at.kind);
    at = await steps.copyDay(move, at, options);
    const { from, to } = await steps.readTotals(at);
    const found = await steps.countRows(move, at);
    try {
      assertSameRows(at, found);
      assertSameTotals(at, from, to);
    } catch (error) {
      await steps.updateDay(move, at, { pages: 0, rows_moved: 0, attempt: at.attempt + 1, position: null });
      throw error;
    }
    at = await steps.updateDay(move, at, { state: 'attaching', position: null });
  }
  at = await steps.attachDay(move, at);
  await steps.updateDay(move, at, { state: 'moved', position: null });
}

/**
 * Moves what one store holds of flows to the other while heartbeats are stored there: first the state that the next reports continue,
 * then day by day, the newest first, totals before flows. Interrupted anywhere, called again it continues. One at a time.
 * @throws AppError `conflict` when the stores differ about a day, `refused` when the target holds flows already
 */
export async function runMove({ client, store_id }: Stores, steps: MoveSteps, options: MoveOptions): Promise<void> {
  if (!(await findMove(client))?.is_switched) await steps.assertBothFit();
  const known = await beginMove(client, steps.engine, store_id);
  if (!known.is_switched) await steps.switchOver(known);
  options.onSwitch?.();
  await steps.createStaging();
  if (!known.is_planned) {
    await steps.planDays(known);
    await noteStep(client, known, 'planned');
  }
  const days = await listDays(client, known);
  options.onPlan?.(days.reduce((sum, { rows, rows_moved }) => sum + Math.max(0, rows - rows_moved), 0));
  for (const day of days) {
    await moveDay(steps, known, day, options);
    options.onDay?.(day);
  }
  if (!known.is_moved) await noteStep(client, known, 'moved');
  await options.fillEnds();
  if (!options.keep) await steps.emptySource();
  await steps.dropStaging();
  await noteStep(client, known, 'finished');
}
