import type { PostureFacts } from '@/domain/dashboard/security-posture';
import type { TenantReach } from '@/domain/permissions';
import type { WorldWorkload } from '../../repositories/policy-world';
import type { Board } from '../policies/board/board';
import { workloadEnforcement } from '../policies/board/workload-enforcement';

const runs = ({ status, template, missing_since }: WorldWorkload) =>
  status === 'running' && !template && missing_since === null;

type Counts = PostureFacts['enforcement'];

/** By board and reach: a board that nothing changed about is the same one. */
const counted = new WeakMap<Board, Map<string, Counts>>();

function count(board: Board, reach: TenantReach): Counts {
  const counts = { enforced: 0, unenforced: 0, unknown: 0, without_interface: 0 };
  for (const workload of board.world.workloads.values()) {
    if (!runs(workload)) continue;
    if (reach !== 'all' && !(workload.tenant_id !== null && reach.includes(workload.tenant_id))) continue;
    counts[workloadEnforcement(board, workload.id)] += 1;
  }
  return counts;
}

/** Running guests within reach by whether their interfaces filter, as last read. A guest that was never read is unknown. */
export function countEnforcement(board: Board, reach: TenantReach): Counts {
  const known = counted.get(board) ?? new Map<string, Counts>();
  counted.set(board, known);
  const key = JSON.stringify(reach);
  const counts = known.get(key) ?? count(board, reach);
  known.set(key, counts);
  return counts;
}
