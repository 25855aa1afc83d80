import type { Tx } from '../../db/client';
import type { RuleHitRow } from '../../traffic/storage/coverage-rows';
import type { Board } from '../policies/board/board';
import { listAppliedAt } from '../queries/policy-standings';

type Place = Pick<RuleHitRow, 'policy_version' | 'rule_position'>;

/**
 * Fills in at which position of which version of its policy each rule that was hit stood: as it was applied, else as it is
 * wanted now. One query.
 */
export async function placeHits(tx: Tx, board: Board, hits: readonly RuleHitRow[]): Promise<RuleHitRow[]> {
  const open = hits.filter(({ rule_position }) => rule_position === null);
  const workloadIds = [...new Set(open.map(({ workload_id }) => workload_id))];
  const places = new Map<string, Place>();
  const keyOf = (workload: string, policy: string, hash: string) => `${workload} ${policy} ${hash}`;
  for (const { workload_id, rules } of await listAppliedAt(tx, workloadIds)) {
    for (const rule of rules) places.set(keyOf(workload_id, rule.policy_id, rule.rule_hash), rule);
  }
  for (const workload_id of workloadIds) {
    for (const rule of board.wantedAt(workload_id)?.rules ?? []) {
      const key = keyOf(workload_id, rule.policy_id, rule.rule_hash);
      if (!places.has(key)) places.set(key, rule);
    }
  }
  return hits.map((hit) => {
    const place = hit.rule_position === null ? places.get(keyOf(hit.workload_id, hit.policy_id, hit.rule_hash)) : null;
    return place ? { ...hit, policy_version: place.policy_version, rule_position: place.rule_position } : hit;
  });
}
