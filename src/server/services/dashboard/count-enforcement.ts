import type { PostureFacts } from '@/domain/dashboard/security-posture';
import type { TenantReach } from '@/domain/permissions';
import type { GuestView } from '@/domain/policy/status';
import type { WorldWorkload } from '../../repositories/policy-world';
import type { Board } from '../policies/board/board';

type Kind = keyof PostureFacts['enforcement'];

const kinds = new WeakMap<GuestView, Kind>();

/** One interface that certainly does not filter settles it; one of which it is not known leaves it open. */
function kindOf(view: GuestView): Kind {
  const known = kinds.get(view);
  if (known) return known;
  const states = view.enforcement.map(({ status }) => status);
  const kind: Kind =
    states.length === 0
      ? 'without_interface'
      : states.includes('off')
        ? 'unenforced'
        : states.includes('unknown')
          ? 'unknown'
          : 'enforced';
  kinds.set(view, kind);
  return kind;
}

const runs = ({ status, template, missing_since }: WorldWorkload) =>
  status === 'running' && !template && missing_since === null;

/** Running guests within reach by whether their interfaces filter, as last read. A guest that was never read is unknown. */
export function countEnforcement(board: Board, reach: TenantReach): PostureFacts['enforcement'] {
  const counts = { enforced: 0, unenforced: 0, unknown: 0, without_interface: 0 };
  for (const workload of board.world.workloads.values()) {
    if (!runs(workload)) continue;
    if (reach !== 'all' && !(workload.tenant_id !== null && reach.includes(workload.tenant_id))) continue;
    const view = board.readings.guests.has(workload.id) ? board.viewAt(workload.id) : null;
    counts[view ? kindOf(view) : 'unknown'] += 1;
  }
  return counts;
}
