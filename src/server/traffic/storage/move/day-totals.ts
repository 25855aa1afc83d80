import { AppError } from '../../../lib/errors';
import type { MoveDay } from './move-record';

/** Totals of an hour of what moves, as text: the numbers may be larger than JavaScript can hold. */
export type DayTotal = { what: string; at: string; rows: string; bytes: string; packets: string; flows: string };

const toKey = ({ what, at }: DayTotal) => `${what} ${at}`;
const toText = ({ rows, bytes, packets, flows }: DayTotal) =>
  `rows ${rows}, bytes ${bytes}, packets ${packets}, flows ${flows}`;

/**
 * Compares how many rows of a day the store before has with how many it had when the days were listed: until a move is finished nothing
 * expires there, so that rows that are missing were lost, or deleted by another program.
 * @throws AppError `conflict` naming the day, and how to move what is left
 */
export function assertSameRows({ kind, day, rows }: MoveDay, found: number): void {
  if (found === rows) return;
  throw new AppError(
    'conflict',
    `${day.slice(0, 10)} (${kind}) has ${found} rows where flows were, and ${rows} were planned to move. Nothing was deleted. Restore the backup of that store, and run the command again. To move only what is left, run first in PostgreSQL: UPDATE flow_move_days SET rows = ${found} WHERE kind = '${kind}' AND day = '${day}' AND state = 'waiting'.`,
  );
}

/**
 * Compares what was read of a day in both stores, hour by hour. An hour of nothing may be missing.
 * @throws AppError `conflict` naming the day and the first hour that differs
 */
export function assertSameTotals(day: MoveDay, from: readonly DayTotal[], to: readonly DayTotal[]): void {
  const expected = new Map(from.map((one) => [toKey(one), toText(one)]));
  const found = new Map(to.map((one) => [toKey(one), toText(one)]));
  for (const key of [...new Set([...expected.keys(), ...found.keys()])].sort()) {
    if (expected.get(key) === found.get(key)) continue;
    throw new AppError(
      'conflict',
      `The stores differ about ${day.day.slice(0, 10)} (${key}): ${expected.get(key) ?? 'nothing'} where flows were, ${found.get(key) ?? 'nothing'} where they are moved to. Nothing was deleted. Run the command again: it copies this day from its start.`,
    );
  }
}
