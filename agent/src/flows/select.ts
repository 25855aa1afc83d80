import { type Candidate, isDenied } from './candidate';

/** Part of a heartbeat kept for flows that just began, however small: scans and first contacts show there. */
export const NEW_SHARE = 0.1;

/** Chooses what fits, in this order: everything denied, then the largest, with a share for new flows. */
export function selectFlows(candidates: readonly Candidate[], limit: number): Candidate[] {
  const bySize = [...candidates].sort((a, b) => b.newBytes - a.newBytes || b.newPackets - a.newPackets);
  const chosen = new Set(bySize.filter(({ flow }) => isDenied(flow)).slice(0, limit));
  const room = limit - chosen.size;
  const reserved = Math.floor(room * NEW_SHARE);
  const take = (count: number, from: Iterable<Candidate>): void => {
    let left = count;
    for (const candidate of from) {
      if (left <= 0) return;
      if (chosen.has(candidate)) continue;
      chosen.add(candidate);
      left -= 1;
    }
  };
  take(
    room - reserved,
    bySize.filter(({ flow }) => !isDenied(flow)),
  );
  take(reserved, newestFirst(candidates));
  take(limit - chosen.size, bySize);
  return [...chosen];
}

function newestFirst(candidates: readonly Candidate[]): Candidate[] {
  const began = ({ flow }: Candidate): string => flow.first_seen_at ?? flow.observed_at;
  return candidates.filter(({ isNew }) => isNew).sort((a, b) => (began(a) < began(b) ? 1 : -1));
}
