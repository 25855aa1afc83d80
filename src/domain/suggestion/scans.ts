import type { ObservedPair } from './observed';

/** Services that did not answer a client, from which on it scans if they are most of those that it tried. */
const MIN_UNANSWERED = 15;
/** What a scanning workload used more often than this is its work, not its scan. */
const MAX_SCAN_USES = 2;

const getClientKey = ({ client }: ObservedPair) => client.workload_id ?? client.ip;
const isAnswered = ({ action, answered }: ObservedPair) => action === 'allowed' || (answered && action === 'unknown');

/** Clients that tried many services of which most did not answer or were blocked. Conversations of theirs are no evidence of a need. */
export function findScans(pairs: readonly ObservedPair[]): (pair: ObservedPair) => boolean {
  const tried = new Map<string, { readonly answered: Set<string>; readonly all: Set<string> }>();
  for (const pair of pairs) {
    const known = tried.get(getClientKey(pair)) ?? { answered: new Set(), all: new Set() };
    tried.set(getClientKey(pair), known);
    const target = `${pair.server.ip} ${pair.protocol} ${pair.service_port}`;
    known.all.add(target);
    if (isAnswered(pair)) known.answered.add(target);
  }
  const scanning = new Set(
    [...tried].flatMap(([key, { all, answered }]) => {
      const unanswered = all.size - answered.size;
      return unanswered >= MIN_UNANSWERED && unanswered > answered.size ? [key] : [];
    }),
  );
  return (pair) => {
    if (!scanning.has(getClientKey(pair))) return false;
    const isOutside = pair.client.workload_id === null && pair.client.external;
    return isOutside || !isAnswered(pair) || pair.conversations + pair.held_out <= MAX_SCAN_USES;
  };
}
