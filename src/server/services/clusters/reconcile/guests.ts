import type { GuestFact, Listing } from '../../../providers/hypervisor/types';
import { diffByKey } from './diff';
import { sameFields, sameValue } from './same-fields';
import { startedAt } from './started-at';

/** The columns of a workload that the list of guests decides. */
export type WorkloadState = {
  node_id: string | null;
  vmid: number;
  kind: GuestFact['kind'];
  external_id: string;
  name: string;
  status: GuestFact['status'];
  template: boolean;
  tags: string[];
  pool: string | null;
  lock: string | null;
  ha_state: string | null;
  cpu_count: number | null;
  memory_bytes: number | null;
  started_at: string | null;
  /** Null when what is stored of the config may be out of date. */
  config_digest: string | null;
  missing_since: string | null;
};
export type PresentWorkload = WorkloadState & { id: string };

export type GuestPlan<P> = {
  create: WorkloadState[];
  change: PresentWorkload[];
  /** Another guest has taken the vmid: the old workload goes, the new one inherits nothing. */
  replace: { gone: P; next: WorkloadState }[];
  /** Not listed; whether they are gone is to be asked. */
  absent: P[];
  kept: number;
};

const fallbackName = (fact: GuestFact) => `${fact.kind === 'qemu' ? 'VM' : 'CT'} ${fact.vmid}`;

function wantedState(
  fact: GuestFact,
  known: WorkloadState | undefined,
  nodeIds: ReadonlyMap<string, string>,
  now: Date,
): WorkloadState {
  // Without runtime data the hypervisor says nothing about the guest but that it exists.
  const silent = !fact.runtime_known;
  const state: WorkloadState = {
    node_id: nodeIds.get(fact.node) ?? null,
    vmid: fact.vmid,
    kind: fact.kind,
    external_id: fact.external_id,
    name: fact.name ?? known?.name ?? fallbackName(fact),
    status: fact.status,
    template: fact.template ?? known?.template ?? false,
    tags: fact.tags ?? known?.tags ?? [],
    pool: fact.pool ?? (fact.pool_known ? null : (known?.pool ?? null)),
    lock: fact.lock ?? (silent ? (known?.lock ?? null) : null),
    ha_state: fact.ha_state ?? (silent ? (known?.ha_state ?? null) : null),
    cpu_count: fact.cpu_count ?? known?.cpu_count ?? null,
    memory_bytes: fact.memory_bytes ?? known?.memory_bytes ?? null,
    started_at: startOf(fact, known, now),
    config_digest: known?.config_digest ?? null,
    missing_since: null,
  };
  if (known && configMayDiffer(state, known)) state.config_digest = null;
  return state;
}

function startOf(fact: GuestFact, known: WorkloadState | undefined, now: Date): string | null {
  if (!fact.runtime_known) return known?.started_at ?? null;
  if (fact.status === 'stopped') return null;
  return startedAt(fact.uptime_seconds, known?.started_at ?? null, now);
}

/** A guest's config is only visible by reading it; these changes come with one, or make pending changes live. */
function configMayDiffer(next: WorkloadState, known: WorkloadState): boolean {
  const signs = ['node_id', 'status', 'started_at', 'tags', 'name', 'lock', 'template'] as const;
  return known.missing_since !== null || signs.some((field) => !sameValue(next[field], known[field]));
}

/**
 * Compares the guests listed with the workloads stored. Facts that the hypervisor does not tell at the moment keep their
 * last known value; a guest that moved to another node stays the same workload.
 */
export function planGuests<P extends PresentWorkload>(
  listing: Listing<GuestFact>,
  present: readonly P[],
  nodeIds: ReadonlyMap<string, string>,
  now: Date,
): GuestPlan<P> {
  const known = new Map(present.map((workload) => [workload.vmid, workload]));
  const wanted = listing.items.map((fact) => {
    const row = known.get(fact.vmid);
    return wantedState(fact, row?.kind === fact.kind ? row : undefined, nodeIds, now);
  });
  const byVmid = (workload: WorkloadState) => workload.vmid;
  const diff = diffByKey(wanted, present, { wanted: byVmid, present: byVmid }, sameFields<WorkloadState>);
  const plan: GuestPlan<P> = {
    create: diff.create,
    change: [],
    replace: [],
    absent: diff.remove,
    kept: diff.keep.length,
  };
  for (const { present: row, wanted: state } of diff.change) {
    if (row.kind !== state.kind) plan.replace.push({ gone: row, next: state });
    else plan.change.push({ ...state, id: row.id });
  }
  return plan;
}
