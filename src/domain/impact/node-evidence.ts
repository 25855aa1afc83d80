import { intersect, normalize, type Span, union } from './time-spans';

/** The time that heartbeats of one node cover which were sent at one interval. */
export type CoveredTime = {
  readonly interval_seconds: number;
  readonly reported: readonly Span[];
  /** With a packet capture that worked; with connection tracking that could be read. */
  readonly captured: readonly Span[];
  readonly tracked: readonly Span[];
};

/** What was seen and lost on one node in one hour. */
export type HourCounts = {
  /** Its start, in milliseconds since 1970. */
  readonly hour_at: number;
  /** Flows that the agent saw, and those of them that were not stored: left out of a heartbeat, or rejected. */
  readonly flows_seen: number;
  readonly flows_lost: number;
  readonly packets_seen: number;
  /** Packets that belong to no flow, because a table or a buffer was full; not part of those that were seen. */
  readonly packets_lost: number;
  readonly log_lines: number;
  readonly log_lines_lost: number;
};

/** Part of something that did not arrive. */
export type Loss = { readonly lost: number; readonly of: number };
export type HourLosses = { readonly flows: Loss; readonly packets: Loss; readonly lines: Loss };

/** What is known about one node over a window. */
export type NodeEvidence = {
  /** When its agent was first there; null: it has none. */
  readonly agent_since: number | null;
  readonly reported: readonly Span[];
  /** Time in which conversations were observed, by packet capture or connection tracking. */
  readonly covered: readonly Span[];
  readonly captured: readonly Span[];
  /** By start of the hour. */
  readonly losses: ReadonlyMap<number, HourLosses>;
};

export const HOUR_MS = 3_600_000;

/** Agents vary their interval by a tenth, and a corrected clock shifts by the time that a heartbeat took: such holes are none. */
const BRIDGED_SHARE = 0.15;
const BRIDGED_MS = 1_000;

const NOTHING: Loss = { lost: 0, of: 0 };
export const NO_LOSSES: HourLosses = { flows: NOTHING, packets: NOTHING, lines: NOTHING };

/** The share that arrived, 0 to 1. */
export const computeDeliveredShare = ({ lost, of }: Loss): number => (of <= 0 ? 1 : Math.max(0, 1 - lost / of));

/** Of two losses the one that left less. */
export const selectWorseLoss = (a: Loss, b: Loss): Loss =>
  computeDeliveredShare(b) < computeDeliveredShare(a) ? b : a;

/**
 * Puts together what is known about a node.
 * @param counts of the hours in which something was lost, at least
 */
export function nodeEvidence(
  agentSince: number | null,
  covered: readonly CoveredTime[],
  counts: readonly HourCounts[],
): NodeEvidence {
  const all = (kind: 'reported' | 'captured' | 'tracked') =>
    union(
      ...[...new Set(covered.map((time) => time.interval_seconds))].map((interval) => {
        const bridge = Math.max(BRIDGED_MS, interval * 1000 * BRIDGED_SHARE);
        const spans = covered.filter((time) => time.interval_seconds === interval).flatMap((time) => time[kind]);
        return normalize(spans, bridge);
      }),
    );
  const reported = all('reported');
  const captured = intersect(all('captured'), reported);
  const losses = counts.map((hour): [number, HourLosses] => [
    hour.hour_at,
    {
      flows: { lost: hour.flows_lost, of: hour.flows_seen },
      packets: { lost: hour.packets_lost, of: hour.packets_seen + hour.packets_lost },
      lines: { lost: hour.log_lines_lost, of: hour.log_lines + hour.log_lines_lost },
    },
  ]);
  return {
    agent_since: agentSince,
    reported,
    captured,
    covered: intersect(union(captured, all('tracked')), reported),
    losses: new Map(losses),
  };
}
