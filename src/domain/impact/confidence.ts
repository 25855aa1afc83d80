import {
  type ChangeConfidence,
  type Confidence,
  EVIDENCE_REASONS,
  type EvidenceDetail,
  type EvidenceLevel,
  type EvidenceReason,
  type EvidenceReasonKind,
  MOST_REASONS,
  type WorkloadConfidence,
} from './evidence';
import {
  computeDeliveredShare,
  HOUR_MS,
  type Loss,
  NO_LOSSES,
  type NodeEvidence,
  selectWorseLoss,
} from './node-evidence';
import { intersect, type Span, subtract, sumDurations } from './time-spans';

/** A time that a workload was on one node, or on one of two. None: on no known node. */
export type Stay = Span & { readonly nodes: readonly string[] };

/** A former node: the workload was last read there at `seen_at`, and first read elsewhere at `left_at`. */
export type FormerNode = { readonly node_id: string; readonly seen_at: number; readonly left_at: number };

/** Where a workload was in a window. Between two reads of the cluster it may have been on either node. */
export function listStays(nodeId: string | null, former: readonly FormerNode[], window: Span): Stay[] {
  const stays: Stay[] = [];
  let since = Number.NEGATIVE_INFINITY;
  const add = (nodes: readonly (string | null)[], until: number) => {
    const known = nodes.includes(null) ? [] : [...new Set(nodes as string[])];
    if (until > since) stays.push({ nodes: known, since, until });
    since = Math.max(since, until);
  };
  for (const [i, { node_id, seen_at, left_at }] of former.entries()) {
    const next = former[i + 1]?.node_id ?? nodeId;
    add([node_id], seen_at);
    add([node_id, next], left_at);
  }
  add([nodeId], Number.POSITIVE_INFINITY);
  return stays.flatMap((stay) => intersect([stay], [window]).map((span) => ({ ...span, nodes: stay.nodes })));
}

export type Places = {
  /** When Fabric first had it. */
  readonly known_since: number;
  /** When its flows are visible to the reader, disjoint and in order; null: always. */
  readonly visible: readonly Span[] | null;
  readonly stays: readonly Stay[];
};

export type WorkloadPlaces = Places & { readonly workload_id: string; readonly workload_name: string };

/** What the evaluation of workloads has in common. */
export type EvidenceBasis = {
  readonly window: Span;
  /** Nothing is stored about the time before. */
  readonly kept_since: number;
  readonly nodes: ReadonlyMap<string, NodeEvidence>;
};

type Reason = Span & { kind: EvidenceReasonKind; detail: EvidenceDetail | null; loss: Loss | null };

/** Milliseconds: observed, weighted by what was delivered, with packet capture, weighted by log lines that were read. */
type Sums = { covered: number; delivered: number; captured: number; logged: number };
type Evaluated = Sums & { reasons: Reason[] };

const NO_NODE: NodeEvidence = { agent_since: null, reported: [], covered: [], captured: [], losses: new Map() };

/** A span by hours. */
function* splitByHour({ since, until }: Span): Generator<Span & { hour_at: number }> {
  for (let at = since; at < until; ) {
    const hour_at = Math.floor(at / HOUR_MS) * HOUR_MS;
    const end = Math.min(until, hour_at + HOUR_MS);
    yield { hour_at, since: at, until: end };
    at = end;
  }
}

const missing = (spans: readonly Span[], kind: EvidenceReasonKind, detail: EvidenceDetail | null = null): Reason[] =>
  spans.map((span) => ({ ...span, kind, detail, loss: null }));

/** Why one node did not observe at some times. */
function unobserved({ agent_since, reported }: NodeEvidence, spans: readonly Span[]): Reason[] {
  const installed = [{ since: agent_since ?? Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY }];
  const rest = intersect(spans, installed);
  return [
    ...missing(subtract(spans, installed), 'no_agent'),
    ...missing(intersect(rest, reported), 'gap', 'no_collector'),
    ...missing(subtract(rest, reported), 'gap', 'no_heartbeats'),
  ];
}

/** Evidence of a time on one node, or on one of several: then only what all of them observed counts, with the losses of the worst. */
function evaluateStay(nodes: readonly NodeEvidence[], stay: Span, keptSince: number): Evaluated {
  const kept = intersect([stay], [{ since: keptSince, until: Number.POSITIVE_INFINITY }]);
  const reasons = missing(subtract([stay], kept), 'beyond_retention');
  const sums: Sums = { covered: 0, delivered: 0, captured: 0, logged: 0 };
  const [first] = nodes;
  if (!first) return { ...sums, reasons: [...reasons, ...missing(kept, 'no_agent', 'no_node')] };

  const covered = nodes.reduce((spans, node) => intersect(spans, node.covered), kept);
  const captured = nodes.reduce((spans, node) => intersect(spans, node.captured), covered);
  const without = subtract(kept, covered);
  reasons.push(...(nodes.length > 1 ? missing(without, 'moved', 'between_nodes') : unobserved(first, without)));
  reasons.push(...missing(subtract(covered, captured), 'conntrack_only'));
  sums.captured = sumDurations(captured);
  for (const span of covered) {
    for (const { hour_at, since, until } of splitByHour(span)) {
      const losses = nodes.map((node) => node.losses.get(hour_at) ?? NO_LOSSES);
      const worst = (of: keyof typeof NO_LOSSES) => losses.map((loss) => loss[of]).reduce(selectWorseLoss);
      const [flows, packets, lines] = [worst('flows'), worst('packets'), worst('lines')];
      sums.covered += until - since;
      sums.delivered += (until - since) * computeDeliveredShare(flows) * computeDeliveredShare(packets);
      sums.logged += (until - since) * computeDeliveredShare(lines);
      const note = (kind: EvidenceReasonKind, loss: Loss) => {
        if (loss.lost > 0) reasons.push({ kind, since, until, detail: null, loss });
      };
      note('truncated', flows);
      note('capture_drops', packets);
      note('logs_limited', lines);
    }
  }
  return { ...sums, reasons };
}

/** Joins reasons of one kind that follow each other. */
function joinReasons(reasons: readonly Reason[]): Reason[] {
  const result: Reason[] = [];
  const last = new Map<string, number>();
  for (const reason of [...reasons].sort((a, b) => a.since - b.since)) {
    const key = `${reason.kind} ${reason.detail}`;
    const at = last.get(key) ?? -1;
    const before = result[at];
    if (before && before.until >= reason.since) {
      const loss = before.loss &&
        reason.loss && { lost: before.loss.lost + reason.loss.lost, of: before.loss.of + reason.loss.of };
      result[at] = { ...before, until: Math.max(before.until, reason.until), loss };
    } else {
      last.set(key, result.length);
      result.push(reason);
    }
  }
  return result;
}

const lostShare = (loss: Loss) => 1 - computeDeliveredShare(loss);
const cost = ({ since, until, loss }: Reason) => (until - since) * (loss ? lostShare(loss) : 1);
const iso = (time: number) => new Date(time).toISOString();

/** Those that cost most, one of each kind at least; earliest first. */
function listReasons(reasons: readonly Reason[]): EvidenceReason[] {
  const sorted = [...reasons].sort((a, b) => cost(b) - cost(a));
  const largest = new Set([...new Map(sorted.toReversed().map((reason) => [reason.kind, reason])).values()]);
  return [...largest, ...sorted.filter((reason) => !largest.has(reason))]
    .slice(0, MOST_REASONS)
    .sort((a, b) => a.since - b.since)
    .map(({ kind, since, until, detail, loss }) => ({
      kind,
      since: iso(since),
      until: iso(until),
      detail,
      lost_share: loss && lostShare(loss),
    }));
}

function toEvidenceLevel(score: number, reasons: readonly Reason[]): EvidenceLevel {
  if (score <= 0) return 'none';
  return reasons.length === 0 ? 'full' : 'partial';
}

/**
 * Evaluates workloads of one window; what they have in common is computed once. Nothing that is missing counts as observed: time without heartbeats,
 * before the agent, before the workload was known or visible, and beyond what is stored.
 * @returns the confidence of one workload or node, with its names: its score is the covered share of the window times the share that was delivered
 */
export function createConfidenceEvaluator({ window, kept_since, nodes }: EvidenceBasis) {
  const whole = new Map<string, Evaluated>();
  const evaluate = (stay: Stay): Evaluated => {
    const found = stay.nodes.map((id) => nodes.get(id) ?? NO_NODE);
    if (found.length !== 1 || stay.since > window.since || stay.until < window.until) {
      return evaluateStay(found, stay, kept_since);
    }
    const [id = ''] = stay.nodes;
    let known = whole.get(id);
    if (!known) {
      const evaluated = evaluateStay(found, stay, kept_since);
      known = { ...evaluated, reasons: joinReasons(evaluated.reasons) };
      whole.set(id, known);
    }
    return known;
  };
  return <Named extends object>({ known_since, visible, stays, ...named }: Places & Named) => {
    const seen = intersect([window], visible ?? [window]);
    const known = intersect(seen, [{ since: known_since, until: Number.POSITIVE_INFINITY }]);
    const reasons = [
      ...missing(subtract([window], seen), 'moved', 'other_owner'),
      ...missing(subtract(seen, known), 'gap', 'not_in_inventory'),
    ];
    const sums: Sums = { covered: 0, delivered: 0, captured: 0, logged: 0 };
    for (const stay of stays) {
      for (const span of intersect([stay], known)) {
        const evaluated = evaluate({ ...span, nodes: stay.nodes });
        for (const name of Object.keys(sums) as (keyof Sums)[]) sums[name] += evaluated[name];
        reasons.push(...evaluated.reasons);
      }
    }
    const joined = joinReasons(reasons);
    const length = window.until - window.since;
    const share = (part: number) => (sums.covered > 0 ? part / sums.covered : null);
    const score = length > 0 ? sums.delivered / length : 0;
    const confidence: Confidence = {
      level: toEvidenceLevel(score, joined),
      score,
      parts: {
        covered: length > 0 ? sums.covered / length : 0,
        delivered: share(sums.delivered),
        captured: share(sums.captured),
        logged: share(sums.logged),
      },
      reasons: listReasons(joined),
      reasons_total: joined.length,
    };
    return { ...named, ...confidence };
  };
}

/** The confidence of a change: the lowest of its workloads. Without any workload there is no evidence. */
export function summarizeConfidence(window: Span, workloads: readonly WorkloadConfidence[]): ChangeConfidence {
  const items = [...workloads].sort((a, b) => a.score - b.score || (a.workload_name < b.workload_name ? -1 : 1));
  const count = (level: EvidenceLevel) => items.filter((item) => item.level === level).length;
  const levels = { full: count('full'), partial: count('partial'), none: count('none') };
  const isFull = items.length > 0 && levels.full === items.length;
  return {
    since: iso(window.since),
    until: iso(window.until),
    level: items.length === 0 || levels.none > 0 ? 'none' : isFull ? 'full' : 'partial',
    score: items[0]?.score ?? 0,
    workloads: levels,
    reasons: EVIDENCE_REASONS.flatMap((kind) => {
      const affected = items.filter(({ reasons }) => reasons.some((reason) => reason.kind === kind)).length;
      return affected > 0 ? [{ kind, workloads: affected }] : [];
    }),
    items,
  };
}
