import fc from 'fast-check';
import type { EvidenceBasis, WorkloadPlaces } from './confidence';
import { type CoveredTime, HOUR_MS, type HourCounts, nodeEvidence } from './node-evidence';
import { normalize, type Span } from './time-spans';

/** One hour of a node. */
export type NodeHour = CoveredTime & HourCounts;

export const START = Date.UTC(2026, 10, 24, 6);
export const MINUTE = 60_000;

export const minutes = (from: number, to: number): Span => ({
  since: START + from * MINUTE,
  until: START + to * MINUTE,
});

/** An hour that is observed completely. */
export function makeHour(hour: number, values: Partial<NodeHour> = {}): NodeHour {
  const whole = [minutes(hour * 60, hour * 60 + 60)];
  return {
    hour_at: START + hour * HOUR_MS,
    interval_seconds: 30,
    reported: whole,
    captured: whole,
    tracked: whole,
    flows_seen: 1000,
    flows_lost: 0,
    packets_seen: 1000,
    packets_lost: 0,
    log_lines: 100,
    log_lines_lost: 0,
    ...values,
  };
}

/** What is known in a test: hours by node, when agents were there, and where the workload was. */
export type Known = {
  window: Span;
  kept_since: number;
  nodes: Record<string, { agent_since: number | null; hours: NodeHour[] }>;
  workload: Omit<WorkloadPlaces, 'workload_id' | 'workload_name'>;
};

export const toEvidenceBasis = ({ window, kept_since, nodes }: Known): EvidenceBasis => ({
  window,
  kept_since,
  nodes: new Map(
    Object.entries(nodes).map(([id, { agent_since, hours }]) => [id, nodeEvidence(agent_since, hours, hours)]),
  ),
});

const HOURS = 5;

const spansIn = (hour: number): fc.Arbitrary<Span[]> =>
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 1, max: 60 })), { maxLength: 4 })
    .map((pairs) => normalize(pairs.map(([from, to]) => minutes(hour * 60 + from, hour * 60 + Math.max(from, to)))));

const anyHour = (hour: number): fc.Arbitrary<NodeHour> =>
  fc.record({
    hour_at: fc.constant(START + hour * HOUR_MS),
    interval_seconds: fc.constantFrom(5, 30, 60),
    reported: fc.oneof(fc.constant([minutes(hour * 60, hour * 60 + 60)]), spansIn(hour)),
    captured: fc.oneof(fc.constant([minutes(hour * 60, hour * 60 + 60)]), spansIn(hour)),
    tracked: spansIn(hour),
    flows_seen: fc.integer({ min: 0, max: 100 }),
    flows_lost: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 })),
    packets_seen: fc.integer({ min: 0, max: 100 }),
    packets_lost: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 })),
    log_lines: fc.integer({ min: 0, max: 10 }),
    log_lines_lost: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 })),
  });

const anyNode = fc.record({
  agent_since: fc.constantFrom(null, START - HOUR_MS, START + 90 * MINUTE),
  hours: fc
    .tuple(...Array.from({ length: HOURS }, (_, hour) => fc.option(anyHour(hour), { nil: null })))
    .map((hours) => hours.filter((hour) => hour !== null)),
});

const anyTime = fc.integer({ min: 0, max: HOURS * 60 });
const anyNodes = fc.constantFrom<string[]>([], ['a'], ['b'], ['a', 'b']);

/** Anything that may be known about a workload; times are whole minutes. */
export const anyKnown: fc.Arbitrary<Known> = fc
  .record({
    window: fc.tuple(anyTime, anyTime).filter(([from, to]) => from < to),
    kept: fc.constantFrom(0, 0, 45),
    a: anyNode,
    b: anyNode,
    known: fc.constantFrom(-60, -60, 30),
    visible: fc.constantFrom(null, null, [minutes(20, 200)]),
    moves: fc.array(fc.tuple(anyTime, anyNodes), { maxLength: 2 }),
    last: anyNodes,
  })
  .map(({ window: [from, to], kept, a, b, known, visible, moves, last }): Known => {
    const window = minutes(from, to);
    const stays: { nodes: string[]; since: number; until: number }[] = [];
    let since = window.since;
    for (const [at, nodes] of [...moves].sort(([x], [y]) => x - y)) {
      const until = Math.min(START + at * MINUTE, window.until);
      if (until > since) stays.push({ nodes, since, until });
      since = Math.max(since, until);
    }
    if (since < window.until) stays.push({ nodes: last, since, until: window.until });
    return {
      window,
      kept_since: START + kept * MINUTE,
      nodes: { a, b },
      workload: { known_since: START + known * MINUTE, visible, stays },
    };
  });
