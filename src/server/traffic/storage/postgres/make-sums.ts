import { minuteCutoff } from '@/domain/flow/plan-range';
import { db, type Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import type { FlowUpkeep } from '../flow-store';
import { findHoursToTotal, totalHour } from './hour-totals';
import {
  deleteMarks,
  findMarkedHours,
  lockTrafficSums,
  type MarkedHour,
  newestMark,
  raiseTrafficVersion,
} from './hours-to-sum';
import { findMovedWorkloads, markOwned, saveOwners } from './traffic-owners';
import { hasMovedMinutes, recomputeFiveMinutes, recomputeHour, recomputeHourFromRollups } from './traffic-sums';

/** A run takes at most about this long, so that the newest hour is made again soon whatever else is to be done. */
const BUDGET_MS = 5_000;

/** Counts guests to the tenants that they belong to now, and marks what was counted to others. */
async function adoptOwners(): Promise<void> {
  if ((await findMovedWorkloads(db)).length === 0) return;
  await db.transaction(async (tx) => {
    await lockTrafficSums(tx);
    const owned = await findMovedWorkloads(tx);
    if (owned.length === 0) return;
    await saveOwners(tx, owned);
    await markOwned(tx, owned, new Date(minuteCutoff(clock.now().getTime())).toISOString());
  });
}

/** Recomputes an hour and its five-minute buckets. */
export type MakeHour = (tx: Tx, hour: MarkedHour, isOld: boolean) => Promise<void>;

const makeHour: MakeHour = async (tx, { cluster_id, hour_at }, isOld) => {
  if (isOld || (await hasMovedMinutes(tx, cluster_id, hour_at))) {
    return recomputeHourFromRollups(tx, cluster_id, hour_at);
  }
  await recomputeFiveMinutes(tx, cluster_id, hour_at);
  await recomputeHour(tx, cluster_id, hour_at);
};

/** An hour, without its marks: all or nothing. */
function finishHour(hour: MarkedHour, make: MakeHour): Promise<void> {
  return db.transaction(async (tx) => {
    await lockTrafficSums(tx);
    await make(tx, hour, Date.parse(hour.hour_at) < minuteCutoff(clock.now().getTime()));
    await deleteMarks(tx, hour.mark_ids);
    await raiseTrafficVersion(tx);
  });
}

/** What else an engine makes when no hour is marked, as long as there is time. Returns whether nothing was left. */
type MakeRest = (hasTime: () => boolean) => Promise<boolean>;

/** Totals of hours for maps and groups. */
const makeHourTotals: MakeRest = async (hasTime) => {
  for (;;) {
    const hours = await findHoursToTotal(db);
    if (hours.length === 0) return true;
    for (const hour of hours) {
      if (!hasTime()) return false;
      await totalHour(hour);
    }
  }
};

/**
 * Recomputes the traffic aggregates whose sources have changed, the newest first, for some seconds. Safe to run at any
 * time, concurrently, and to interrupt: what is not computed stays marked.
 * @returns how many hours were computed, and whether nothing was left
 */
export const makeSums =
  (make: MakeHour, makeRest: MakeRest = async () => true): FlowUpkeep['sum'] =>
  async (signal) => {
    const started = performance.now();
    const hasTime = () => {
      signal?.throwIfAborted();
      return performance.now() - started <= BUDGET_MS;
    };
    await adoptOwners();
    // What is marked from now on is left for the next run.
    const upTo = await newestMark(db);
    for (let hours = 0; ; ) {
      const marked = await findMarkedHours(db, upTo);
      if (marked.length === 0) return { hours, done: await makeRest(hasTime) };
      for (const hour of marked) {
        signal?.throwIfAborted();
        await finishHour(hour, make);
        hours += 1;
        if (!hasTime()) return { hours, done: false };
      }
    }
  };

export const sum = makeSums(makeHour, makeHourTotals);
