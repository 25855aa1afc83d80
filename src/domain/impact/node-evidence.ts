import { intersect, normalize, type Span, union } from './spans';

/** What the heartbeats of one node delivered about one hour. */
export type NodeHour = {
  /** Its start, in milliseconds since 1970. */
  readonly hour_at: number;
  /** The longest interval of its heartbeats. */
  readonly interval_seconds: number;
  /** The time that heartbeats cover; with a packet capture that worked; with connection tracking that could be read. */
  readonly reported: readonly Span[];
  readonly captured: readonly Span[];
  readonly tracked: readonly Span[];
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
export const deliveredOf = ({ lost, of }: Loss): number => (of <= 0 ? 1 : Math.max(0, 1 - lost / of));

/** Of two losses the one that left less. */
export const worse = (a: Loss, b: Loss): Loss => (deliveredOf(b) < deliveredOf(a) ? b : a);

/** Puts the hours of a node together. */
export function nodeEvidence(agentSince: number | null, hours: readonly NodeHour[]): NodeEvidence {
  const intervals = new Map(hours.map((hour) => [hour.hour_at, hour.interval_seconds * 1000]));
  const bridge = (after: number) =>
    Math.max(BRIDGED_MS, BRIDGED_SHARE * (intervals.get(Math.floor((after - 1) / HOUR_MS) * HOUR_MS) ?? 0));
  const all = (kind: 'reported' | 'captured' | 'tracked') =>
    normalize(
      hours.flatMap((hour) => hour[kind]),
      bridge,
    );
  const reported = all('reported');
  const captured = intersect(all('captured'), reported);
  const losses = hours.map((hour): [number, HourLosses] => [
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
