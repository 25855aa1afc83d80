import type { PostureFacts } from '@/domain/dashboard/security-posture';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { Board } from '../../enforcement/policies/board/board';
import { workloadProtection } from '../../enforcement/policies/board/views';
import type { WorldWorkload } from '../../enforcement/queries/policy-world';
import { objectCache } from '../../lib/cache';

const runs = ({ status, template, missing_since }: WorldWorkload) =>
  status === 'running' && !template && missing_since === null;

type Counts = PostureFacts['enforcement'];

/** By board and reach: a board that nothing changed about is the same one. */
const counted = objectCache<Board, Map<string, Counts>>({ name: 'enforcement_counts' });

function count(board: Board, reach: Reach): Counts {
  const counts = { default_deny: 0, rules_default_accept: 0, no_rules: 0, off: 0, unknown: 0, without_interface: 0 };
  for (const workload of board.world.workloads.values()) {
    if (!runs(workload)) continue;
    if (!isWithinReach(workload, reach)) continue;
    counts[workloadProtection(board, workload.id) ?? 'without_interface'] += 1;
  }
  return counts;
}

/** Running workloads within reach by their protection, as last read. One that was never read is unknown. */
export function countEnforcement(board: Board, reach: Reach): Counts {
  const known = counted.load(board, null, () => new Map<string, Counts>());
  const key = JSON.stringify(reach);
  const counts = known.get(key) ?? count(board, reach);
  known.set(key, counts);
  return counts;
}
