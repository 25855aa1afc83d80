import { AppError } from '../../../lib/errors';
import type { MoveDay } from './move-record';

/** Totals of an hour of what moves, as text: the numbers may be larger than JavaScript can hold. */
export type DayTotal = { what: string; at: string; rows: string; bytes: string; packets: string; flows: string };

const toKey = ({ what, at }: DayTotal) => `${what} ${at}`;
const toText = ({ rows, bytes, packets, flows }: DayTotal) =>
  `rows ${rows}, bytes ${bytes}, packets ${packets}, flows ${flows}`;

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
