import type { GuestFact, Listing } from '../../providers/hypervisor/types';
import type { SyncedWorkload } from '../queries/sync-guests';
import { diffByKey, sameFields, sameValue } from './diff';

// The hypervisor refreshes its statistics every ten seconds and answers from a cache, so the same start is seen a
// little differently each time. A later start than this is a real one.
const JITTER_MS = 30_000;

/**
 * When something that has been up for `uptime` seconds was started. The start known so far stays as long as it is the
 * same one; an unknown uptime changes nothing.
 */
export function startedAt(uptime: number | null, known: string | null, now: Date): string | null {
  if (uptime === null) return known;
  const start = Math.floor((now.getTime() - uptime * 1000) / 1000) * 1000;
  if (known !== null && Math.abs(start - Date.parse(known)) <= JITTER_MS) return known;
  return new Date(start).toISOString();
}

/** The columns of a workload that the list of guests decides; `config_digest` is null when what is stored of the config may be out of date. */
export type WorkloadState = Omit<SyncedWorkload, 'id' | 'tenant_id' | 'creation_fingerprint' | 'config_read_at'>;
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

function syncedState(
  fact: GuestFact,
  known: WorkloadState | undefined,
  nodeIds: ReadonlyMap<string, string>,
  now: Date,
): WorkloadState {
  const { node, runtime_known, pool_known, uptime_seconds: _, name, template, tags, pool, ...reported } = fact;
  const state: WorkloadState = {
    // Without runtime data the hypervisor reports only that the guest exists.
    ...withKnown(reported, runtime_known ? undefined : known),
    node_id: nodeIds.get(node) ?? null,
    name: name ?? known?.name ?? fallbackName(fact),
    template: template ?? known?.template ?? false,
    tags: tags ?? known?.tags ?? [],
    pool: pool ?? (pool_known ? null : (known?.pool ?? null)),
    cpu_count: fact.cpu_count ?? known?.cpu_count ?? null,
    memory_bytes: fact.memory_bytes ?? known?.memory_bytes ?? null,
    started_at: computeStartTime(fact, known, now),
    config_digest: known?.config_digest ?? null,
    missing_since: null,
  };
  if (known && configMayDiffer(state, known)) state.config_digest = null;
  return state;
}

/** The facts, with the last known values in place of those not reported. */
function withKnown<T extends object>(facts: T, known: Partial<T> | undefined): T {
  const filled = Object.entries(facts).map(([name, fact]) => [name, fact ?? known?.[name as keyof T] ?? null]);
  return Object.fromEntries(filled) as T;
}

function computeStartTime(fact: GuestFact, known: WorkloadState | undefined, now: Date): string | null {
  if (!fact.runtime_known) return known?.started_at ?? null;
  if (fact.status === 'stopped') return null;
  return startedAt(fact.uptime_seconds, known?.started_at ?? null, now);
}

/**
 * A guest's config is only visible by reading it; these changes come with one, make pending changes live, or decide
 * who owns the guest.
 */
function configMayDiffer(next: WorkloadState, known: WorkloadState): boolean {
  const signs = ['node_id', 'status', 'started_at', 'tags', 'pool', 'name', 'lock', 'template'] as const;
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
  const desired = listing.items.map((fact) => {
    const row = known.get(fact.vmid);
    return syncedState(fact, row?.kind === fact.kind ? row : undefined, nodeIds, now);
  });
  const byVmid = (workload: WorkloadState) => workload.vmid;
  const diff = diffByKey(desired, present, { desired: byVmid, present: byVmid }, sameFields<WorkloadState>);
  const plan: GuestPlan<P> = {
    create: diff.create,
    change: [],
    replace: [],
    absent: diff.remove,
    kept: diff.keep.length,
  };
  for (const { present: row, desired: state } of diff.change) {
    if (row.kind !== state.kind) plan.replace.push({ gone: row, next: state });
    else plan.change.push({ ...state, id: row.id });
  }
  return plan;
}

/** A config is read again after this long even when nothing points to a change. */
export const CONFIG_MAX_AGE_MS = 6 * 60 * 60 * 1000;
/** Reading an unchanged config is noted at most this often, so that a sync of an unchanged cluster writes nothing. */
export const CONFIG_READ_NOTE_MS = 60 * 60 * 1000;

/** Whether a guest's config is to be read: by order, because a change is suspected, or because of its age. */
export function isConfigDue(
  workload: { config_digest: string | null; config_read_at: string | null },
  force: boolean,
  now: Date,
): boolean {
  if (force || workload.config_digest === null || workload.config_read_at === null) return true;
  return now.getTime() - Date.parse(workload.config_read_at) >= CONFIG_MAX_AGE_MS;
}
