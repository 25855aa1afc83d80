import type { ClusterSnapshot, GuestSnapshot, UnreadableNote } from '@/domain/firewall/snapshot';
import type { PastReading } from '@/domain/guest-firewall';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { notFound } from '../../lib/refusals';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { listUnknownReadings, type UnknownReading } from '../policies/firewall-state/read-past-firewall';
import { toLiveState } from '../policies/firewall-state/views';
import { oldestReadAt } from './live-reader';
import type { GuestLive } from './read-guest-live';
import { unreadableGuest } from './read-guest-snapshot';

/** A guest as it was read last before a time. */
export type GuestPast = Omit<GuestLive, 'snapshot' | 'read_at'> & {
  readonly snapshot: { readonly state: GuestSnapshot };
  readonly read_at: string | null;
  readonly past: PastReading;
};

function describeUnknown(subject: string, found: UnknownReading): Pick<UnreadableNote, 'code' | 'message'> {
  if (found.reason === 'not_read') return { code: 'not_read', message: `${subject} had not been read by then.` };
  const { last_read_at, next_read_at } = found;
  return {
    code: 'between',
    message: `${subject} changed between ${last_read_at} and ${next_read_at}. What was live in between is not known.`,
  };
}

function toPastReading(at: string, read_at: string | null, unknown: UnknownReading | undefined): PastReading {
  if (!unknown) return { as_of: at, state: 'read', last_read_at: read_at, next_read_at: null };
  if (unknown.reason === 'not_read') return { as_of: at, state: 'not_read', last_read_at: null, next_read_at: null };
  const { last_read_at, next_read_at } = unknown;
  return { as_of: at, state: 'between', last_read_at, next_read_at };
}

/**
 * One visible guest as of a time, inside `readPast`. No cluster is contacted. What is not known is null and named.
 * @throws AppError `not_found`, also for a workload not visible to the caller then
 */
export async function readGuestPast(reach: Reach, workloadId: string, at: string): Promise<GuestPast> {
  const firewall = await readFirewallState();
  const workload = firewall.inputs.workloads.get(workloadId);
  if (!workload || !isWithinReach(workload, reach)) throw notFound('workload');
  const unknown = await listUnknownReadings(at, firewall);
  const [ofGuest, ofCluster] = [unknown.get(workloadId), unknown.get(workload.cluster_id)];
  const guest = firewall.snapshots.guests.get(workloadId);
  const read = firewall.snapshots.clusters.get(workload.cluster_id);
  const state = guest?.state ?? unreadableGuest(describeUnknown('The workload', ofGuest ?? { reason: 'not_read' }));
  const cluster: ClusterSnapshot = read?.state ?? {
    ...{ firewall_enabled: null, groups: null, ipsets: null, aliases: null },
    unreadable: [{ part: 'options', ...describeUnknown('The cluster', ofCluster ?? { reason: 'not_read' }) }],
  };
  return {
    firewall,
    workload,
    snapshot: { state },
    cluster,
    state: toLiveState(workload, guest?.state ?? null, read?.state ?? null),
    read_at: guest && read ? oldestReadAt(guest, read) : null,
    past: toPastReading(at, guest?.read_at ?? null, ofGuest ?? ofCluster),
  };
}
