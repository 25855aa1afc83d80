import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { type GuestContext, prepareGuestContext } from '@/domain/flow-context/guest-context';
import { isVisibleAt, type Reach } from '@/domain/permissions';
import { processState } from '../../lib/process-state';
import type { Board } from '../policies/board/board';
import { liveStateOf } from '../policies/board/guest-view';
import type { PolicyWorld } from '../policies/world/load-policy-world';
import type { WorldWorkload } from '../queries/policy-world';
import { auditPoliciesAt } from './audit-policies';

type Prepared = {
  readonly world: PolicyWorld;
  readonly guest: GuestSnapshot | null;
  readonly cluster: ClusterSnapshot | null;
  readonly context: GuestContext;
  readonly bytes: number;
};

/** What prepared guests may take; the one that was not asked for longest goes first. */
const MAX_BYTES = 64 * 1024 * 1024;
const kept = processState(() => ({ prepared: new Map<string, Prepared>(), bytes: 0 }));

/** Indexes hold a bit per rule for each value that rules tell apart: they grow with the square of the rules. */
const bytesOf = ({ state, audit }: GuestContext) => {
  const rules = (state.guest.rules?.length ?? 0) + audit.reduce((sum, policy) => sum + policy.rules.length, 0);
  return 4096 + 512 * rules + 2 * rules * rules;
};

function forget(workloadId: string): void {
  const known = kept.prepared.get(workloadId);
  if (!known) return;
  kept.prepared.delete(workloadId);
  kept.bytes -= known.bytes;
}

function keep(workloadId: string, item: Prepared): void {
  forget(workloadId);
  kept.prepared.set(workloadId, item);
  kept.bytes += item.bytes;
  for (const oldest of kept.prepared.keys()) {
    if (kept.bytes <= MAX_BYTES || oldest === workloadId) break;
    forget(oldest);
  }
}

/** Policies out of reach are not told of: those of other tenants, and to a tenant's users those of the platform. */
function within(context: GuestContext, workload: WorldWorkload, reach: Reach): GuestContext {
  if (reach === 'all' || context.audit.length === 0) return context;
  return { ...context, audit: context.audit.filter((policy) => isVisibleAt(policy, workload, reach)) };
}

/** A guest made ready for `contextOf` from what was read of it; kept until the reading or the world is another. */
export function contextFrom(
  world: PolicyWorld,
  workload: WorldWorkload,
  read: { guest: GuestSnapshot | null; cluster: ClusterSnapshot | null },
  reach: Reach,
): GuestContext {
  const { guest, cluster } = read;
  const known = kept.prepared.get(workload.id);
  if (known && known.world === world && known.guest === guest && known.cluster === cluster) {
    kept.prepared.delete(workload.id);
    kept.prepared.set(workload.id, known);
    return within(known.context, workload, reach);
  }
  const context = prepareGuestContext({
    workload_id: workload.id,
    state: liveStateOf(workload, guest, cluster),
    nics: guest?.nics ?? null,
    audit: auditPoliciesAt(world, workload.id),
  });
  keep(workload.id, { world, guest, cluster, context, bytes: bytesOf(context) });
  return within(context, workload, reach);
}

/**
 * A guest made ready for `contextOf` from what was last read of it; no cluster is asked. Without a reading everything is
 * unknown. Null for a workload that does not exist. Whether the reader may see the workload is for the caller to know;
 * `reach` only says which policies in audit mode are told of.
 */
export function guestContext(board: Board, workloadId: string, reach: Reach = 'all'): GuestContext | null {
  const workload = board.world.workloads.get(workloadId);
  if (!workload) return null;
  const guest = board.readings.guests.get(workloadId)?.state ?? null;
  const cluster = board.readings.clusters.get(workload.cluster_id)?.state ?? null;
  return contextFrom(board.world, workload, { guest, cluster }, reach);
}
