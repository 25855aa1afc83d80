import type { Fact } from '@/domain/notifications/condition';
import { driftOf } from '@/domain/notifications/drift';
import { readBoard } from '../../enforcement/policies/board/read-board';
import type { Collector } from './collector';

/** Policies within reach whose rules are not live as they were written; no cluster is asked. */
export const driftedPolicies: Collector = async (reach) => {
  const board = await readBoard();
  const facts: Fact[] = [];
  const unknown: string[] = [];
  for (const policy of board.world.policies) {
    if (reach !== 'all' && !(policy.tenant_id !== null && reach.includes(policy.tenant_id))) continue;
    const drift = driftOf(board.standingOf(policy));
    if (drift === 'unknown') unknown.push(policy.id);
    else if (drift !== null) {
      const object = { object_kind: 'policy', object_id: policy.id, object_name: policy.name } as const;
      facts.push({ condition: 'policy_drifted', key: policy.id, ...object, detail: drift });
    }
  }
  return { facts, unknown };
};
