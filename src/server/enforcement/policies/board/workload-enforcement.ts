import type { WorkloadEnforcement } from '@/domain/inventory';
import type { GuestView } from '@/domain/policy/status';
import type { Board } from './board';

const kinds = new WeakMap<GuestView, WorkloadEnforcement>();

/** One interface that certainly does not filter settles it; one of which it is not known leaves it open. */
function kindOf(view: GuestView): WorkloadEnforcement {
  const known = kinds.get(view);
  if (known) return known;
  const states = view.enforcement.map(({ status }) => status);
  const kind =
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

/** Whether the interfaces of a workload filter, as last read. One that was never read is unknown. */
export function workloadEnforcement(board: Board, workloadId: string): WorkloadEnforcement {
  const view = board.readings.guests.has(workloadId) ? board.viewAt(workloadId) : null;
  return view ? kindOf(view) : 'unknown';
}
