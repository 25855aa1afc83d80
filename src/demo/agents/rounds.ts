import type { Slots } from '../traffic/sessions';

/** Who is further behind than this (in slots) delivers what was missed, as an agent does after an outage. */
const BEHIND = 8;
/** Slots of history: flows older than a day are not kept, and delivering takes its time. */
export const HISTORY_SLOTS = 95 * 60;
/** Slots of it that are delivered before everything else at the first start: what pages show at first. */
export const RECENT_SLOTS = 240;

/** Lengths of what is delivered late, by age in slots: the older, the coarser. They end with whole minutes, as charts do. */
const GRAIN = [
  { olderThan: 6 * 240, slots: 60 },
  { olderThan: 240, slots: 20 },
  { olderThan: 0, slots: 4 },
] as const;

export type Round = Slots & { kind: 'live' | 'late' | 'older' };

export type Progress = {
  /** Last slot that is delivered; undefined: nothing ever was. */
  covered_to: number | undefined;
  /** The last slot that is over. */
  last: number;
  /** Sequence of the greeting that announced late deliveries; these must stay below it. */
  greeted: number | undefined;
  /** How many slots back the history goes at most. */
  history: number;
};

/** Last slot of what is delivered together with `from`. */
function getRoundEnd(from: number, last: number): number {
  const grain = GRAIN.find(({ olderThan }) => last - from > olderThan)?.slots ?? 4;
  return from - (from % grain) + grain - 1;
}

/**
 * What is delivered next: `late` after a greeting, `greet` before it, `live` at the end of each slot, or nothing yet.
 */
export function nextRound({ covered_to, last, greeted, history }: Progress): Round | 'greet' | null {
  const from = Math.max((covered_to ?? 0) + 1, last - history);
  // Once greeted, everything before the greeting is late.
  const isLate = greeted === undefined ? last - from >= BEHIND : from < greeted;
  if (!isLate) return from > last ? null : { from, to: last, kind: 'live' };
  if (greeted === undefined) return 'greet';
  return { from, to: Math.min(getRoundEnd(from, last), greeted - 1), kind: 'late' };
}

/** What is delivered of the history before the recent one, while nothing else is due. */
export function olderRound(older: Slots, last: number): Round | null {
  const from = Math.max(older.from, last - HISTORY_SLOTS);
  return from > older.to ? null : { from, to: Math.min(getRoundEnd(from, last), older.to), kind: 'older' };
}
