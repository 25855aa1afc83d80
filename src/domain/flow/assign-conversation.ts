import { MINUTE_MS, SECOND_MS } from '../durations';

/** A conversation in which nothing was seen for so long has ended: later packets of the same ends and ports begin another one. */
export const CONVERSATION_IDLE_MS = 10 * MINUTE_MS;

/** A closed one ends sooner: only as much later as clocks of nodes differ. */
export const CONVERSATION_CLOSED_MS = 10 * SECOND_MS;

/** States of connection tracking after which a connection carries nothing any more. */
export const CLOSED_STATES = ['TIME_WAIT', 'CLOSE'] as const;

/** Workloads at the ends of something seen, and at whose interface: `low` is the end that sorts first. */
export type SeenEnds = { low: string | null; high: string | null; observer: string | null };

/** A stored conversation of the same addresses, ports and protocol. Times in milliseconds since 1970. */
export type ConversationCandidate = SeenEnds & {
  id: string;
  /** How many conversations of the same addresses and ports were stored before it. */
  ordinal: number;
  first_seen: number;
  last_seen: number;
  is_closed: boolean;
  /** Whether it ended because a workload went to another tenant. */
  is_final: boolean;
  /** Nodes that reported it. */
  nodes: readonly string[];
};

/** A report about one direction. `has_begin`: the agent said when its counters began. */
export type SeenReport = SeenEnds & { node_id: string; first_seen: number; last_seen: number; has_begin: boolean };

/**
 * Whether two sightings may be of the same workloads. They share a known workload and contradict each other at no end; where neither end
 * is known, they come from the same interface's workload. Addresses alone never suffice: tenants may use the same ones.
 */
export function haveSameEnds(a: SeenEnds, b: SeenEnds): boolean {
  const contradicts = (x: string | null, y: string | null) => x !== null && y !== null && x !== y;
  if (contradicts(a.low, b.low) || contradicts(a.high, b.high)) return false;
  const isKnown = ({ low, high }: SeenEnds) => low !== null || high !== null;
  if (isKnown(a) && isKnown(b)) return (a.low ?? 'a') === (b.low ?? 'b') || (a.high ?? 'a') === (b.high ?? 'b');
  if (!isKnown(a) && !isKnown(b)) return a.observer === b.observer;
  const [known, unknown] = isKnown(a) ? [a, b] : [b, a];
  return unknown.observer !== null && (unknown.observer === known.low || unknown.observer === known.high);
}

/** A node that reported a conversation continues it whatever the inventory says by now: a resolved end never changes. */
function isReportedBy({ nodes, low, high, observer }: ConversationCandidate, report: SeenReport): boolean {
  return nodes.includes(report.node_id) && [null, low, high, observer].includes(report.observer);
}

/** Whether what was reported is a part of the conversation. */
export function isContinued(conversation: ConversationCandidate, report: SeenReport): boolean {
  if (conversation.is_final) return false;
  if (!haveSameEnds(conversation, report) && !isReportedBy(conversation, report)) return false;
  if (report.last_seen < conversation.first_seen - CONVERSATION_IDLE_MS) return false;
  const gap = conversation.is_closed && report.has_begin ? CONVERSATION_CLOSED_MS : CONVERSATION_IDLE_MS;
  return report.first_seen <= conversation.last_seen + gap;
}

/** The conversation that a report belongs to, the newest of several; null when it begins one. */
export function findContinued(
  candidates: readonly ConversationCandidate[],
  report: SeenReport,
): ConversationCandidate | null {
  return candidates
    .filter((candidate) => isContinued(candidate, report))
    .reduce<ConversationCandidate | null>((newest, candidate) => {
      if (newest === null) return candidate;
      const later = candidate.first_seen - newest.first_seen || (candidate.id < newest.id ? -1 : 1);
      return later > 0 ? candidate : newest;
    }, null);
}
