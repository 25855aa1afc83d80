import type { GuestDiff } from './compare-rules';

/** Two policies whose live rules are evaluated in the opposite of the desired order. */
export type Inversion = { readonly above: string; readonly below: string };

/** Whether rules of a policy are live in another order among themselves: only a manual change does that. */
export function isShuffled(policyId: string, { kept }: GuestDiff, ranks: ReadonlyMap<unknown, number>): boolean {
  const own = kept.filter(({ desired }) => desired.policy_id === policyId).sort((a, b) => a.rule.pos - b.rule.pos);
  return own.some((item, at) => at > 0 && (ranks.get(own[at - 1]?.desired) ?? 0) > (ranks.get(item.desired) ?? 0));
}

/** Pairs of the policy with others at the workload where a rule is evaluated before one that must precede it. */
export function findInversions(
  policyId: string,
  { kept }: GuestDiff,
  ranks: ReadonlyMap<unknown, number>,
): Inversion[] {
  const blocks = new Map<string, { rank: number; first: number; last: number }>();
  for (const { desired, rule } of kept) {
    const block = blocks.get(desired.policy_id);
    const rank = ranks.get(desired) ?? 0;
    blocks.set(desired.policy_id, {
      rank: Math.min(rank, block?.rank ?? rank),
      first: Math.min(rule.pos, block?.first ?? rule.pos),
      last: Math.max(rule.pos, block?.last ?? rule.pos),
    });
  }
  const own = blocks.get(policyId);
  if (!own) return [];
  return [...blocks].flatMap(([id, other]): Inversion[] => {
    if (id === policyId) return [];
    if (own.rank < other.rank) return other.first < own.last ? [{ above: id, below: policyId }] : [];
    return own.first < other.last ? [{ above: policyId, below: id }] : [];
  });
}
