import { type Protection, worstProtection } from '@/domain/firewall/protection';
import { protectionOf } from '@/domain/firewall/protection-of';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { objectCache } from '../../../lib/cache';
import type { Board } from './board';
import { liveStateOf } from './guest-view';

type Protections = ReadonlyMap<string, Protection>;

/** By reading of a guest: while it and what it depends on are the same, nothing is evaluated again. */
const known = objectCache<GuestSnapshot, Protections, { cluster: unknown; nftables: unknown }>({
  name: 'workload_protection',
  isFresh: (kept, asked) => kept.cluster === asked.cluster && kept.nftables === asked.nftables,
});

/**
 * How the interfaces of a workload are protected, by name, as last read. Null: the workload was never read, or its
 * interfaces could not be.
 */
export function interfaceProtections(board: Board, workloadId: string): Protections | null {
  const workload = board.world.workloads.get(workloadId);
  const guest = board.readings.guests.get(workloadId)?.state;
  if (!workload || !guest?.nics) return null;
  const cluster = board.readings.clusters.get(workload.cluster_id)?.state ?? null;
  const { nftables } = workload;
  const { nics } = guest;
  return known.load(guest, { cluster, nftables }, () => {
    const state = liveStateOf(workload, guest, cluster);
    return new Map(nics.map((nic) => [nic.name, protectionOf(state, nic)]));
  });
}

/** The worst protection of a workload's interfaces, as last read; null when it has none. Never read is unknown. */
export function workloadProtection(board: Board, workloadId: string): Protection | null {
  const protections = interfaceProtections(board, workloadId);
  return protections ? worstProtection([...protections.values()]) : 'unknown';
}
