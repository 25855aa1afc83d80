import { type Protection, worstProtection } from '@/domain/firewall/protection';
import { protectionOf } from '@/domain/firewall/protection-of';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { Board } from './board';
import { liveStateOf } from './guest-view';

type Known = { cluster: unknown; nftables: unknown; protections: ReadonlyMap<string, Protection> };

/** By reading of a guest: while it and what it depends on are the same, nothing is evaluated again. */
const known = new WeakMap<GuestSnapshot, Known>();

/**
 * How the interfaces of a workload are protected, by name, as last read. Null: the workload was never read, or its
 * interfaces could not be.
 */
export function interfaceProtections(board: Board, workloadId: string): ReadonlyMap<string, Protection> | null {
  const workload = board.world.workloads.get(workloadId);
  const guest = board.readings.guests.get(workloadId)?.state;
  if (!workload || !guest?.nics) return null;
  const cluster = board.readings.clusters.get(workload.cluster_id)?.state ?? null;
  const { nftables } = workload;
  const before = known.get(guest);
  if (before && before.cluster === cluster && before.nftables === nftables) return before.protections;
  const state = liveStateOf(workload, guest, cluster);
  const protections = new Map(guest.nics.map((nic) => [nic.name, protectionOf(state, nic)]));
  known.set(guest, { cluster, nftables, protections });
  return protections;
}

/** The worst protection of a workload's interfaces, as last read; null when it has none. Never read is unknown. */
export function workloadProtection(board: Board, workloadId: string): Protection | null {
  const protections = interfaceProtections(board, workloadId);
  return protections ? worstProtection([...protections.values()]) : 'unknown';
}
