import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConfidenceEvaluator, listStays, summarizeConfidence, type WorkloadPlaces } from './confidence';
import {
  anyKnown,
  type Known,
  MINUTE,
  makeHour,
  minutes,
  type NodeHour,
  START,
  toEvidenceBasis,
} from './confidence.fixture';
import { EVIDENCE_LEVELS, MOST_REASONS } from './evidence';
import { HOUR_MS } from './node-evidence';
import { type Span, subtract } from './time-spans';

const evaluate = (known: Known) =>
  createConfidenceEvaluator(toEvidenceBasis(known))({ ...known.workload, workload_id: 'w', workload_name: 'web' });

/** A workload that was on node `a` all the time. */
const onNode = (hours: NodeHour[], length = 4): Known => ({
  window: minutes(0, length * 60),
  kept_since: 0,
  nodes: { a: { agent_since: START - HOUR_MS, hours } },
  workload: { known_since: 0, visible: null, stays: [{ ...minutes(0, length * 60), nodes: ['a'] }] },
});
const four = (values: Partial<NodeHour> = {}) => [0, 1, 2, 3].map((hour) => makeHour(hour, values));
const kinds = (known: Known) =>
  evaluate(known).reasons.map(({ kind, detail }) => (detail ? `${kind} ${detail}` : kind));
const has = (spans: readonly Span[], at: number) => spans.some(({ since, until }) => at >= since && at < until);

/** Minute by minute: the share of the window that was observed, and of what was delivered in it. */
function minuteByMinute({ window, kept_since, nodes, workload }: Known): { covered: number; score: number } {
  let covered = 0;
  let delivered = 0;
  for (let at = window.since; at < window.until; at += MINUTE) {
    const stay = workload.stays.find(({ since, until }) => at >= since && at < until);
    if (at < kept_since || at < workload.known_since || (workload.visible && !has(workload.visible, at))) continue;
    const hours = stay?.nodes.map((id) =>
      nodes[id]?.hours.find(({ hour_at }) => at >= hour_at && at < hour_at + HOUR_MS),
    );
    const observed = hours?.map((hour) =>
      hour && has(hour.reported, at) && (has(hour.captured, at) || has(hour.tracked, at)) ? hour : null,
    );
    if (!observed?.length || observed.includes(null)) continue;
    const worst = (lost: (hour: NodeHour) => number, of: (hour: NodeHour) => number) =>
      Math.min(...observed.map((hour) => (hour && of(hour) > 0 ? Math.max(0, 1 - lost(hour) / of(hour)) : 1)));
    covered += 1;
    delivered +=
      worst(
        (hour) => hour.flows_lost,
        (hour) => hour.flows_seen,
      ) *
      worst(
        (hour) => hour.packets_lost,
        (hour) => hour.packets_seen + hour.packets_lost,
      );
  }
  const length = (window.until - window.since) / MINUTE;
  return { covered: covered / length, score: delivered / length };
}

describe('createConfidenceEvaluator', () => {
  it('gives the covered share of time times the delivered share', () => {
    fc.assert(
      fc.property(anyKnown, (known) => {
        const { score, parts } = evaluate(known);
        const counted = minuteByMinute(known);
        expect(score).toBeCloseTo(counted.score, 9);
        expect(parts.covered).toBeCloseTo(counted.covered, 9);
        expect(parts.covered * (parts.delivered ?? 0)).toBeCloseTo(score, 9);
      }),
    );
  });

  it('never rises when evidence is removed', () => {
    const removals: ((hour: NodeHour, at: number) => NodeHour)[] = [
      (hour, at) => ({ ...hour, reported: subtract(hour.reported, [{ since: at, until: at + 7 * MINUTE }]) }),
      (hour, at) => ({ ...hour, captured: subtract(hour.captured, [{ since: at, until: at + 1_500 }]) }),
      (hour) => ({ ...hour, captured: [] }),
      (hour) => ({ ...hour, tracked: [] }),
      (hour) => ({ ...hour, reported: [], captured: [], tracked: [] }),
      (hour) => ({ ...hour, flows_lost: hour.flows_lost + 3 }),
      (hour) => ({ ...hour, packets_lost: hour.packets_lost + 3 }),
      (hour) => ({ ...hour, log_lines_lost: hour.log_lines_lost + 3 }),
    ];
    const removal = fc.record({
      node: fc.constantFrom('a', 'b'),
      hour: fc.nat(4),
      how: fc.nat(removals.length),
      at: fc.nat(300),
    });
    fc.assert(
      fc.property(anyKnown, removal, (known, { node, hour, how, at }) => {
        const { agent_since = null, hours = [] } = known.nodes[node] ?? {};
        const remove = removals[how];
        const changed = hours.flatMap((one) =>
          one.hour_at !== START + hour * HOUR_MS ? [one] : remove ? [remove(one, START + at * MINUTE)] : [],
        );
        const before = evaluate(known);
        const after = evaluate({ ...known, nodes: { ...known.nodes, [node]: { agent_since, hours: changed } } });
        expect(after.score).toBeLessThanOrEqual(before.score + 1e-12);
        expect(EVIDENCE_LEVELS.indexOf(after.level)).toBeGreaterThanOrEqual(EVIDENCE_LEVELS.indexOf(before.level));
      }),
    );
  });

  it('gives a workload the same confidence whatever was evaluated before', () => {
    fc.assert(
      fc.property(anyKnown, fc.array(fc.nat(3), { maxLength: 4 }), (known, order) => {
        const { window } = known;
        const middle = (window.since + window.until) / 2;
        const places = [
          known.workload,
          { ...known.workload, stays: [{ ...window, nodes: ['a'] }] },
          { ...known.workload, stays: [{ since: window.since, until: middle, nodes: ['a'] }] },
          { ...known.workload, stays: [{ since: middle, until: window.until, nodes: ['a'] }] },
        ].map((place): WorkloadPlaces => ({ ...place, workload_id: 'w', workload_name: 'web' }));
        const shared = createConfidenceEvaluator(toEvidenceBasis(known));
        for (const i of [...order, 0, 1]) {
          const place = places[i] as WorkloadPlaces;
          expect(shared(place)).toEqual(createConfidenceEvaluator(toEvidenceBasis(known))(place));
        }
      }),
    );
  });

  it('returns none exactly without evidence, and full exactly without a reason', () => {
    fc.assert(
      fc.property(anyKnown, (known) => {
        const { level, score, reasons, reasons_total, parts } = evaluate(known);
        expect(level === 'none').toBe(score === 0);
        expect(level === 'full').toBe(reasons_total === 0);
        expect(reasons).toHaveLength(Math.min(reasons_total, MOST_REASONS));
        if (level === 'full')
          expect({ score, ...parts }).toEqual({ score: 1, covered: 1, delivered: 1, captured: 1, logged: 1 });
        const hours = { agent_since: START, hours: [] };
        expect(evaluate({ ...known, nodes: { a: hours, b: hours } }).level).toBe('none');
        expect(evaluate({ ...known, nodes: {} }).level).toBe('none');
      }),
    );
  });

  it('names a reason for all time that is not observed', () => {
    const explains = new Set(['no_agent', 'gap', 'moved', 'beyond_retention']);
    fc.assert(
      fc.property(anyKnown, (known) => {
        const { reasons, parts } = evaluate(known);
        const length = known.window.until - known.window.since;
        const without = reasons
          .filter(({ kind }) => explains.has(kind))
          .reduce((sum, { since, until }) => sum + Date.parse(until) - Date.parse(since), 0);
        expect(without / length).toBeCloseTo(1 - parts.covered, 9);
      }),
    );
  });

  it('returns full for a node that reported all the time', () => {
    expect(evaluate(onNode(four()))).toMatchObject({ level: 'full', score: 1, reasons: [], reasons_total: 0 });
  });

  it('names each reason with its time and the share that is missing', () => {
    const [first, second, third, last] = four() as [NodeHour, NodeHour, NodeHour, NodeHour];
    const known = onNode([
      { ...first, reported: [minutes(0, 30)] },
      { ...second, flows_lost: 100 },
      { ...third, captured: [minutes(120, 150)], log_lines_lost: 100 },
      { ...last, captured: [], tracked: [minutes(180, 225)], packets_lost: 1000 },
    ]);
    const at = (from: number, to: number) => ({
      since: new Date(START + from * MINUTE).toISOString(),
      until: new Date(START + to * MINUTE).toISOString(),
    });
    expect(evaluate(known).reasons).toEqual([
      { kind: 'gap', ...at(30, 60), detail: 'no_heartbeats', lost_share: null },
      { kind: 'truncated', ...at(60, 120), detail: null, lost_share: expect.closeTo(0.1) },
      { kind: 'logs_limited', ...at(120, 180), detail: null, lost_share: 0.5 },
      { kind: 'conntrack_only', ...at(150, 225), detail: null, lost_share: null },
      { kind: 'capture_drops', ...at(180, 225), detail: null, lost_share: 0.5 },
      { kind: 'gap', ...at(225, 240), detail: 'no_collector', lost_share: null },
    ]);
  });

  it('distinguishes no agent, no node, other owners, unknown workloads and what has expired', () => {
    expect(kinds({ ...onNode([]), nodes: { a: { agent_since: null, hours: [] } } })).toEqual(['no_agent']);
    expect(kinds({ ...onNode([]), nodes: { a: { agent_since: START + HOUR_MS, hours: [] } } })).toEqual([
      'no_agent',
      'gap no_heartbeats',
    ]);
    const nowhere = onNode(four());
    const { workload } = nowhere;
    const stays = [{ ...minutes(0, 240), nodes: [] }];
    expect(kinds({ ...nowhere, workload: { ...workload, stays } })).toEqual(['no_agent no_node']);
    const visible = [minutes(60, 240)];
    expect(kinds({ ...nowhere, workload: { ...workload, visible } })).toEqual(['moved other_owner']);
    const known_since = START + HOUR_MS;
    expect(kinds({ ...nowhere, workload: { ...workload, known_since } })).toEqual(['gap not_in_inventory']);
    expect(kinds({ ...nowhere, kept_since: START + HOUR_MS })).toEqual(['beyond_retention']);
  });

  it('ignores holes that come from the jitter of the interval, not a missing heartbeat', () => {
    const holes = (ms: number) =>
      [0, 1, 2, 3].map((hour) => {
        const since = START + hour * HOUR_MS;
        const spans = [
          { since, until: since + 1_000_000 },
          { since: since + 1_000_000 + ms, until: since + HOUR_MS },
        ];
        return makeHour(hour, { reported: spans, captured: spans });
      });
    expect(evaluate(onNode(holes(3_000))).level).toBe('full');
    expect(evaluate(onNode(holes(27_000)))).toMatchObject({ level: 'partial', reasons_total: 4 });
  });

  it('lists the reasons that cost most when there are many', () => {
    const hours = Array.from({ length: 200 }, (_, hour) =>
      makeHour(hour, { reported: [minutes(hour * 60, hour * 60 + (hour === 9 ? 10 : 59))] }),
    );
    // Nothing else costs as little, and there is no other of its kind.
    hours[20] = { ...(hours[20] as NodeHour), packets_lost: 1 };
    const { reasons, reasons_total } = evaluate(onNode(hours, 200));
    expect(reasons_total).toBe(201);
    expect(reasons.filter(({ kind }) => kind === 'capture_drops')).toHaveLength(1);
    expect(reasons).toHaveLength(MOST_REASONS);
    expect(reasons.filter(({ since }) => since === new Date(START + 550 * MINUTE).toISOString())).toHaveLength(1);
    expect(reasons.map(({ since }) => since)).toEqual(reasons.map(({ since }) => since).sort());
  });
});

describe('listStays', () => {
  it('covers the window once, with both nodes between two reads', () => {
    const former = [
      { node_id: 'a', seen_at: START + 60 * MINUTE, left_at: START + 70 * MINUTE },
      { node_id: 'b', seen_at: START + 120 * MINUTE, left_at: START + 125 * MINUTE },
    ];
    expect(listStays('a', former, minutes(30, 240))).toEqual([
      { nodes: ['a'], ...minutes(30, 60) },
      { nodes: ['a', 'b'], ...minutes(60, 70) },
      { nodes: ['b'], ...minutes(70, 120) },
      { nodes: ['b', 'a'], ...minutes(120, 125) },
      { nodes: ['a'], ...minutes(125, 240) },
    ]);
    expect(listStays(null, [], minutes(0, 60))).toEqual([{ nodes: [], ...minutes(0, 60) }]);
  });

  it('leaves no time out, whatever was read', () => {
    const time = fc.integer({ min: -60, max: 360 });
    const former = fc.array(fc.record({ node_id: fc.constantFrom('a', 'b'), seen_at: time, left_at: time }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(former, (list) => {
        const read = list.map((one) => ({
          ...one,
          seen_at: START + one.seen_at * MINUTE,
          left_at: START + one.left_at * MINUTE,
        }));
        const stays = listStays('c', read, minutes(0, 300));
        expect(stays[0]?.since).toBe(START);
        expect(stays.at(-1)?.until).toBe(START + 300 * MINUTE);
        for (const [i, stay] of stays.entries()) if (i > 0) expect(stay.since).toBe(stays[i - 1]?.until);
      }),
    );
  });
});

describe('summarizeConfidence', () => {
  const window = minutes(0, 240);
  const places = (workload_name: string, node: string): WorkloadPlaces => ({
    workload_id: workload_name,
    workload_name,
    known_since: 0,
    visible: null,
    stays: [{ ...window, nodes: [node] }],
  });
  const known = {
    ...onNode(four()),
    nodes: { ...onNode(four()).nodes, b: { agent_since: START, hours: four({ flows_lost: 500 }) } },
  };
  const evaluateAll = createConfidenceEvaluator(toEvidenceBasis(known));
  const [full, partial, none] = [places('full', 'a'), places('partial', 'b'), places('none', 'c')].map(evaluateAll);

  it('returns the lowest confidence of the workloads', () => {
    const of = (...workloads: (typeof full)[]) =>
      summarizeConfidence(
        window,
        workloads.filter((one) => one !== undefined),
      );
    expect(of(full)).toMatchObject({ level: 'full', score: 1 });
    expect(of(full, partial)).toMatchObject({
      level: 'partial',
      score: 0.5,
      workloads: { full: 1, partial: 1, none: 0 },
    });
    expect(of(full, partial, none)).toMatchObject({
      level: 'none',
      score: 0,
      reasons: [
        { kind: 'no_agent', workloads: 1 },
        { kind: 'truncated', workloads: 1 },
      ],
      items: [{ workload_name: 'none' }, { workload_name: 'partial' }, { workload_name: 'full' }],
    });
  });

  it('returns none without any workload', () => {
    expect(summarizeConfidence(window, [])).toMatchObject({ level: 'none', score: 0 });
  });
});
