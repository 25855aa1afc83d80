import type { WorkloadEnforcement } from '@/domain/inventory';
import type { GuestView } from '@/domain/policy/status';
import { objectCache } from '../../../lib/cache';
import type { Board } from './board';

const kinds = objectCache<GuestView, WorkloadEnforcement>({ name: 'workload_enforcement' });

/** One interface that certainly does not filter settles it; one of which it is not known leaves it open. */
function kindOf(view: GuestView): WorkloadEnforcement {
  const states = view.enforcement.map(({ status }) => status);
  if (states.length === 0) return 'without_interface';
  if (states.includes('off')) return 'unenforced';
  return states.includes('unknown') ? 'unknown' : 'enforced';
}

/** Whether the interfaces of a workload filter, as last read. One that was never read is unknown. */
export function workloadEnforcement(board: Board, workloadId: string): WorkloadEnforcement {
  const view = board.readings.guests.has(workloadId) ? board.viewAt(workloadId) : null;
  return view ? kinds.load(view, null, () => kindOf(view)) : 'unknown';
}
