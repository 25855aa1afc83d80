import { z } from 'zod';

/**
 * Running workloads by whether the agent of their node reported in a time range. Where workloads ran before is not stored, so this
 * is about the nodes where they run now.
 */
export const RangeMonitoring = z.object({
  running: z.int(),
  /** It reported in the whole range. */
  watched: z.int(),
  /** It reported in part of the range, or more is not known. */
  partly: z.int(),
  /** It did not report in the range, or there is no agent. */
  unwatched: z.int(),
  /** Whether it reported is not stored any more: heartbeats are kept for a day. */
  unknown: z.int(),
});
export type RangeMonitoring = z.output<typeof RangeMonitoring>;

/** Heartbeats are looked at by windows of this width; an agent that is away for less goes unnoticed. */
export const SLOT_MS = 10 * 60_000;
export const HEARTBEATS_KEPT_MS = 24 * 3_600_000;

/** Running workloads on one node, with its agent. */
export type MonitoredPlace = {
  /** null: on no known node. */
  readonly node_id: string | null;
  readonly workloads: number;
  /** Whether the agent reports now. */
  readonly reports: boolean;
  readonly interval_seconds: number | null;
};

type Range = { readonly since: number; readonly until: number };

/** Windows of a range whose heartbeats are complete: they have ended, and none of them is deleted yet. */
export function listCompleteSlots({ since, until }: Range, now: number): number[] {
  const kept = now - HEARTBEATS_KEPT_MS;
  const first = Math.floor(since / SLOT_MS) * SLOT_MS;
  const slots: number[] = [];
  for (let slot = Math.max(first, Math.ceil(kept / SLOT_MS) * SLOT_MS); slot < until; slot += SLOT_MS) {
    if (slot + SLOT_MS <= now) slots.push(slot);
  }
  return slots;
}

/**
 * Evaluates a range by what reported then. The present state counts only for the end of a range that reaches up to
 * now.
 * @param heardIn whether a node's agent sent a heartbeat in a window
 */
export function computeMonitoring(
  places: readonly MonitoredPlace[],
  range: Range,
  now: number,
  heardIn: (nodeId: string, slot: number) => boolean,
): RangeMonitoring {
  const slots = listCompleteSlots(range, now);
  const isOld = range.until <= now - HEARTBEATS_KEPT_MS;
  const isKnown = range.since >= now - HEARTBEATS_KEPT_MS - SLOT_MS;
  const isRecent = range.until > now - SLOT_MS;
  const sums: RangeMonitoring = { running: 0, watched: 0, partly: 0, unwatched: 0, unknown: 0 };
  const classifyMonitoring = ({
    node_id,
    reports,
    interval_seconds,
  }: MonitoredPlace): keyof Omit<RangeMonitoring, 'running'> => {
    if (isOld) return 'unknown';
    if (node_id === null) return 'unwatched';
    // A heartbeat covers the time since the previous one.
    const later = Math.floor(((interval_seconds ?? 0) * 1000) / SLOT_MS);
    const isHeard = (slot: number) => {
      for (let after = 0; after <= later; after++) if (heardIn(node_id, slot + after * SLOT_MS)) return true;
      return false;
    };
    const heard = slots.filter(isHeard).length;
    if (heard === slots.length && isKnown && (!isRecent || reports)) return 'watched';
    if (heard > 0 || (isRecent && reports)) return 'partly';
    return isKnown ? 'unwatched' : 'unknown';
  };
  for (const place of places) {
    sums.running += place.workloads;
    sums[classifyMonitoring(place)] += place.workloads;
  }
  return sums;
}
