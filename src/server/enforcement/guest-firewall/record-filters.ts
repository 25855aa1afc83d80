import { createHash } from 'node:crypto';
import { printFilter } from '@/domain/firewall/filter-print';
import { completeLiveNode, type LiveState } from '@/domain/firewall/live-state';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { db } from '../../db/client';
import { batches } from '../../db/update-rows';
import { cache } from '../../lib/cache';
import { clock } from '../../lib/clock';
import type { NodeImplementations } from '../queries/firewall-snapshots';
import { type ReadFilter, storeGuestFilters } from '../queries/guest-filters';

type Read<T> = { readonly state: T; readonly state_hash: string; readonly read_at: string };
type Subject = { readonly id: string; readonly node_name: string | null };

/** Of everything that decides on packets at any interface; null when a part of it could not be read. */
export function hashFilter(state: LiveState, { nics, unreadable }: GuestSnapshot): string | null {
  const { cluster, node } = state;
  if (!nics || unreadable.length > 0 || !cluster.groups || !cluster.ipsets || !cluster.aliases || !node) return null;
  const prints = nics.map((nic) => [nic.name, printFilter(state, nic)]);
  return createHash('sha256').update(JSON.stringify(prints)).digest('base64');
}

/** By workload, as long as nothing differs of which the filter is made: preparing it takes most of the time of a reading. */
const hashes = cache<string | null, string>({
  name: 'filter_hashes',
  maxEntries: 20_000,
  isFresh: (kept, asked) => kept === asked,
});

/** Remembers since when guests are filtered as they were just read. What could not be read leaves what is known. */
export async function recordFilters(
  cluster: Read<ClusterSnapshot> & { readonly cluster_id: string },
  guests: readonly (Read<GuestSnapshot> & { readonly workload_id: string })[],
  subjects: readonly Subject[],
  nftables: NodeImplementations,
): Promise<void> {
  const places = new Map(subjects.map(({ id, node_name }) => [id, node_name]));
  const changed_at = clock.now().toISOString();
  const sorted = [...guests].sort((a, b) => (a.workload_id < b.workload_id ? -1 : 1));
  for (const batch of batches(sorted, 100)) {
    const rows = batch.flatMap(({ workload_id, read_at, state: guest, state_hash }): ReadFilter[] => {
      const name = places.get(workload_id) ?? null;
      const isNftables = nftables.get(name ?? '') ?? null;
      const filter_hash = hashes.load(workload_id, `${cluster.state_hash} ${state_hash} ${isNftables} ${name}`, () => {
        const node = completeLiveNode(cluster.state, name, isNftables);
        return hashFilter({ cluster: cluster.state, guest, node }, guest);
      });
      const [since = read_at] = [read_at, cluster.read_at].sort();
      return filter_hash === null ? [] : [{ workload_id, filter_hash, read_at: since, changed_at }];
    });
    await storeGuestFilters(db, rows);
  }
}
