import type { JudgedFlow } from '@/domain/flow/flow';

/** More than anybody reads as it comes. */
export const TAIL_ROWS = 500;

/** What is shown while flows are followed: known ones give way to their newer selves; the newest first, at most `TAIL_ROWS`. */
export function mergeTail(shown: readonly JudgedFlow[], arrived: readonly JudgedFlow[]): JudgedFlow[] {
  const byId = new Map(shown.map((flow) => [flow.id, flow]));
  for (const flow of arrived) byId.set(flow.id, flow);
  return [...byId.values()]
    .sort((a, b) => (a.observed_at === b.observed_at ? (a.id < b.id ? 1 : -1) : a.observed_at < b.observed_at ? 1 : -1))
    .slice(0, TAIL_ROWS);
}
