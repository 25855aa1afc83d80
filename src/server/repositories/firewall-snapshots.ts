import { eq, inArray, sql } from 'drizzle-orm';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { Executor } from '../db/client';
import { clusterFirewallSnapshots, guestFirewallSnapshots } from '../db/schema/firewall-snapshots';
import { workloads } from '../db/schema/workloads';
import { batches } from './update-rows';

export type StoredGuestSnapshot = typeof guestFirewallSnapshots.$inferSelect;
export type StoredClusterSnapshot = typeof clusterFirewallSnapshots.$inferSelect;

/** Which readings there are, without what was read. */
export async function listGuestSnapshotHashes(
  executor: Executor,
): Promise<{ workload_id: string; read_at: string; state_hash: string }[]> {
  return executor
    .select({
      workload_id: guestFirewallSnapshots.workload_id,
      read_at: guestFirewallSnapshots.read_at,
      state_hash: guestFirewallSnapshots.state_hash,
    })
    .from(guestFirewallSnapshots);
}

export async function findGuestSnapshots(
  executor: Executor,
  workloadIds: readonly string[],
): Promise<StoredGuestSnapshot[]> {
  if (workloadIds.length === 0) return [];
  return executor
    .select()
    .from(guestFirewallSnapshots)
    .where(inArray(guestFirewallSnapshots.workload_id, [...workloadIds]));
}

export async function listClusterSnapshots(executor: Executor): Promise<StoredClusterSnapshot[]> {
  return executor.select().from(clusterFirewallSnapshots);
}

/**
 * Stores readings; a later one that is stored already stays. Guests that were deleted meanwhile are left out.
 * @returns how many differ from what was stored
 */
export async function storeGuestSnapshots(
  executor: Executor,
  rows: readonly { workload_id: string; read_at: string; state_hash: string; state: GuestSnapshot }[],
): Promise<number> {
  let changed = 0;
  const sorted = [...rows].sort((a, b) => (a.workload_id < b.workload_id ? -1 : 1));
  for (const batch of batches(sorted, 200)) {
    const result = await executor.execute<{ differs: boolean }>(sql`
      with r as materialized (select * from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
          as x(workload_id uuid, read_at timestamptz, state_hash text, state jsonb)),
        old as materialized (select workload_id, state_hash from ${guestFirewallSnapshots}
          where workload_id in (select workload_id from r)),
        written as (insert into ${guestFirewallSnapshots} as t (workload_id, cluster_id, read_at, state_hash, state)
          select r.workload_id, w.cluster_id, r.read_at, r.state_hash, r.state from r
            join ${workloads} w on w.id = r.workload_id order by r.workload_id
          on conflict (workload_id) do update set read_at = excluded.read_at, state_hash = excluded.state_hash,
            state = excluded.state
          where t.read_at <= excluded.read_at
          returning workload_id, state_hash)
      select old.state_hash is distinct from written.state_hash as differs from written
        left join old on old.workload_id = written.workload_id`);
    changed += result.filter(({ differs }) => differs).length;
  }
  return changed;
}

/** Stores a reading of what the guests of a cluster share. @returns whether it differs from the one before */
export async function storeClusterSnapshot(
  executor: Executor,
  row: { cluster_id: string; read_at: string; state_hash: string; state: ClusterSnapshot },
): Promise<boolean> {
  const [old] = await executor
    .select({ state_hash: clusterFirewallSnapshots.state_hash })
    .from(clusterFirewallSnapshots)
    .where(eq(clusterFirewallSnapshots.cluster_id, row.cluster_id));
  await executor
    .insert(clusterFirewallSnapshots)
    .values(row)
    .onConflictDoUpdate({
      target: clusterFirewallSnapshots.cluster_id,
      set: { read_at: row.read_at, state_hash: row.state_hash, state: row.state },
      setWhere: sql`${clusterFirewallSnapshots.read_at} <= excluded.read_at`,
    });
  return old?.state_hash !== row.state_hash;
}

/** Clusters with a token whose readings are older than this, or that were never read. */
export async function listClustersToObserve(executor: Executor, before: string): Promise<string[]> {
  const rows = await executor.execute<{ id: string }>(sql`
    select c.id from clusters c left join ${clusterFirewallSnapshots} s on s.cluster_id = c.id
    where c.api_token_encrypted is not null and (s.read_at is null or s.read_at < ${before}) order by c.id`);
  return rows.map(({ id }) => id);
}
