import type { Observation } from './observation';

/** How long after its last packet an exporter may report a flow: timeouts of an hour are common. */
const MOST_LATE_MS = 2 * 3_600_000;
/** How far a clock may be ahead. */
const MOST_AHEAD_MS = 60_000;
/** The longest flow: exporters that report a flow only when it ends do so after a week at the latest. */
const LONGEST_MS = 8 * 24 * 3_600_000;

export type FlowTimes = {
  first_ms: number;
  last_ms: number;
  /** The exporter's times were not used: they are missing or too far from the arrival. */
  is_arrival: boolean;
};

/** When traffic was seen: by the exporter's clock as long as that is plausible, else when the record arrived. */
export function placeInTime({ first_ms, last_ms }: Pick<Observation, 'first_ms' | 'last_ms'>, now: number): FlowTimes {
  if (last_ms === null || last_ms > now + MOST_AHEAD_MS || last_ms < now - MOST_LATE_MS) {
    return { first_ms: now, last_ms: now, is_arrival: true };
  }
  const last = Math.min(last_ms, now);
  const isPlausible = first_ms !== null && first_ms <= last_ms && first_ms >= last_ms - LONGEST_MS;
  return { first_ms: isPlausible ? Math.min(first_ms, last) : last, last_ms: last, is_arrival: false };
}
