import { and, asc, eq, gt, inArray, lt, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { CompileFailure } from '@/domain/firewall/compile-failure';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { Executor } from '../../db/client';
import { clusters, nodes } from '../../db/schema/clusters';
import { policyPlacements } from '../../db/schema/deployments';
import { clusterFirewallSnapshots, guestFirewallSnapshots } from '../../db/schema/firewall-snapshots';
import { pastFirewalls } from '../../db/schema/history';
import { networks } from '../../db/schema/networks';
import { workloads } from '../../db/schema/workloads';
import { batches } from '../../db/update-rows';
import type { ClusterRow } from '../../inventory/queries/clusters';

export type StoredGuestSnapshot = typeof guestFirewallSnapshots.$inferSelect;
export type StoredClusterSnapshot = typeof clusterFirewallSnapshots.$inferSelect;

/** Which snapshots of guests and clusters there are, without what was read. One query. */
export async function listSnapshotHashes(
  executor: Executor,
): Promise<{ id: string; of: 'guest' | 'cluster'; read_at: string; state_hash: string }[]> {
  const { workload_id, ...guest } = guestFirewallSnapshots;
  const { cluster_id, ...cluster } = clusterFirewallSnapshots;
  return executor
    .select({
      id: workload_id,
      of: sql<'guest' | 'cluster'>`'guest'`,
      read_at: guest.read_at,
      state_hash: guest.state_hash,
    })
    .from(guestFirewallSnapshots)
    .unionAll(
      executor
        .select({
          id: cluster_id,
          of: sql<'guest' | 'cluster'>`'cluster'`,
          read_at: cluster.read_at,
          state_hash: cluster.state_hash,
        })
        .from(clusterFirewallSnapshots),
    );
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

export async function findClusterSnapshots(
  executor: Executor,
  clusterIds: readonly string[],
): Promise<StoredClusterSnapshot[]> {
  if (clusterIds.length === 0) return [];
  return executor
    .select()
    .from(clusterFirewallSnapshots)
    .where(inArray(clusterFirewallSnapshots.cluster_id, [...clusterIds]));
}

type KnownContent = { rules: boolean; options: boolean; sets: boolean };

/**
 * Which parts of guests' firewalls have content, as far as is known: as they were last read, and where that is not known,
 * or `written` since, by whether a policy is applied there.
 */
export async function listKnownContent(
  executor: Executor,
  workloadIds: readonly string[],
  written = false,
): Promise<Map<string, KnownContent>> {
  if (workloadIds.length === 0) return new Map();
  const ids = sql.join(
    workloadIds.map((id) => sql`${id}::uuid`),
    sql`, `,
  );
  const rows = await executor.execute<KnownContent & { id: string }>(sql`
    select w.id, coalesce(s.rules <> '[]', a.applied) as rules, coalesce(s.options <> '{}', a.applied) as options,
        coalesce(s.sets <> '{}', false) as sets
      from ${workloads} w
      cross join lateral (select exists (select from ${policyPlacements} p
        where p.workload_id = w.id and p.applied_at is not null) as applied) a
      left join lateral (select nullif(g.state -> 'rules', 'null') as rules, nullif(g.state -> 'options', 'null') as options,
        nullif(g.state -> 'ipsets', 'null') as sets
        from ${guestFirewallSnapshots} g where g.workload_id = w.id and not ${written}::boolean) s on true
      where w.id in (${ids})`);
  return new Map(rows.map(({ id, ...content }) => [id, content]));
}

/**
 * Whether what is stored was read before. A time further ahead than any reading lasts is of a clock that was put back since, and is no
 * reason to keep it.
 */
export const isReadBefore = (stored: SQLWrapper, read: SQLWrapper): SQL =>
  sql`(${stored} <= ${read} or ${stored} > ${read} + interval '15 minutes')`;

type NewSnapshot = {
  workload_id: string;
  read_at: string;
  state_hash: string;
  state: GuestSnapshot;
  compile_failures?: readonly CompileFailure[];
};

/** Notes that the same was read again. @returns the workloads of which the same is stored */
async function touchGuestSnapshots(executor: Executor, rows: readonly NewSnapshot[]): Promise<Set<string>> {
  const times = rows.map(({ workload_id, read_at, state_hash }) => ({ workload_id, read_at, state_hash }));
  const same = await executor.execute<{ workload_id: string }>(sql`
    with r as materialized (select * from jsonb_to_recordset(${JSON.stringify(times)}::jsonb)
        as x(workload_id uuid, read_at timestamptz, state_hash text)),
      same as materialized (select t.workload_id, r.read_at from ${guestFirewallSnapshots} t
        join r on r.workload_id = t.workload_id and r.state_hash = t.state_hash
        order by t.workload_id for no key update of t),
      touched as (update ${guestFirewallSnapshots} as t set read_at = same.read_at from same
        where t.workload_id = same.workload_id and ${isReadBefore(sql`t.read_at`, sql`same.read_at`)})
    select workload_id from same`);
  return new Set(same.map(({ workload_id }) => workload_id));
}

async function writeGuestSnapshots(executor: Executor, rows: readonly NewSnapshot[]): Promise<void> {
  await executor.execute(sql`
    insert into ${guestFirewallSnapshots} as t (workload_id, cluster_id, read_at, state_hash, state, compile_failures)
      select r.workload_id, w.cluster_id, r.read_at, r.state_hash, r.state,
          coalesce(r.compile_failures, '[]')
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as r(workload_id uuid, read_at timestamptz, state_hash text, state jsonb, compile_failures jsonb)
        join ${workloads} w on w.id = r.workload_id order by r.workload_id
    on conflict (workload_id) do update set read_at = excluded.read_at, state_hash = excluded.state_hash,
      state = excluded.state, compile_failures = excluded.compile_failures
    where ${isReadBefore(sql`t.read_at`, sql`excluded.read_at`)}`);
}

/**
 * Stores snapshots; a later one that is already stored stays. For unchanged snapshots only the time is written.
 * Guests that have since been deleted are left out.
 * @returns how many differ from what was stored
 */
export async function storeGuestSnapshots(executor: Executor, rows: readonly NewSnapshot[]): Promise<number> {
  const sorted = [...rows].sort((a, b) => (a.workload_id < b.workload_id ? -1 : 1));
  let changed = 0;
  for (const batch of batches(sorted, 200)) {
    const same = await touchGuestSnapshots(executor, batch);
    const differing = batch.filter(({ workload_id }) => !same.has(workload_id));
    if (differing.length > 0) await writeGuestSnapshots(executor, differing);
    changed += differing.length;
  }
  return changed;
}

/** Pages through the snapshots of a cluster's guests. @param after workload id of the last row of the page before */
export async function listGuestSnapshotPage(
  executor: Executor,
  clusterId: string,
  after: string | null,
  limit: number,
) {
  return executor
    .select({
      workload_id: guestFirewallSnapshots.workload_id,
      vmid: workloads.vmid,
      state: guestFirewallSnapshots.state,
      compile_failures: guestFirewallSnapshots.compile_failures,
    })
    .from(guestFirewallSnapshots)
    .innerJoin(workloads, eq(workloads.id, guestFirewallSnapshots.workload_id))
    .where(
      and(
        eq(guestFirewallSnapshots.cluster_id, clusterId),
        after === null ? undefined : gt(guestFirewallSnapshots.workload_id, after),
      ),
    )
    .orderBy(guestFirewallSnapshots.workload_id)
    .limit(limit);
}

/** By the name of a node, whether it filters with nftables; null when the inventory does not know. */
export type NodeImplementations = ReadonlyMap<string, boolean | null>;

export async function setCompileFailures(
  executor: Executor,
  workloadId: string,
  failures: readonly CompileFailure[],
): Promise<void> {
  await executor
    .update(guestFirewallSnapshots)
    .set({ compile_failures: failures })
    .where(eq(guestFirewallSnapshots.workload_id, workloadId));
}

/** Nodes of a cluster, with what each guest there contributes to compiles that fail, by the number of the guest. */
export async function listNodesToCompile(
  executor: Executor,
  clusterId: string,
): Promise<{ name: string; nftables: boolean | null; contributed: (readonly CompileFailure[])[] }[]> {
  return executor
    .select({
      name: nodes.name,
      nftables: nodes.nftables,
      // Columns of a query over one table are written without its name, so these are written out.
      contributed: sql<CompileFailure[][]>`coalesce(
        (select json_agg(s.compile_failures order by w.vmid)
          from ${guestFirewallSnapshots} s join ${workloads} w on w.id = s.workload_id
          where w.node_id = nodes.id and s.cluster_id = nodes.cluster_id and s.compile_failures <> '[]'), '[]')`,
    })
    .from(nodes)
    .where(eq(nodes.cluster_id, clusterId));
}

/** A cluster with what was last read of its firewall. */
export async function findObservedCluster(
  executor: Executor,
  clusterId: string,
): Promise<{ cluster: ClusterRow; stored: StoredClusterSnapshot | null } | null> {
  const [row] = await executor
    .select({ cluster: clusters, stored: clusterFirewallSnapshots })
    .from(clusters)
    .leftJoin(clusterFirewallSnapshots, eq(clusterFirewallSnapshots.cluster_id, clusters.id))
    .where(eq(clusters.id, clusterId));
  return row ?? null;
}

/** Stores a snapshot of what the guests of a cluster share; a later one that is already stored stays. */
export async function storeClusterSnapshot(
  executor: Executor,
  row: { cluster_id: string; read_at: string; state_hash: string; state: ClusterSnapshot },
): Promise<void> {
  await executor
    .insert(clusterFirewallSnapshots)
    .values(row)
    .onConflictDoUpdate({
      target: clusterFirewallSnapshots.cluster_id,
      set: { read_at: row.read_at, state_hash: row.state_hash, state: row.state },
      setWhere: isReadBefore(clusterFirewallSnapshots.read_at, sql`excluded.read_at`),
    });
}

/** Clusters with a token whose snapshots are older than this or later than now, or that were never read. */
export async function listClustersToObserve(executor: Executor, before: string, now: string): Promise<string[]> {
  const rows = await executor.execute<{ id: string }>(sql`
    select c.id from clusters c left join ${clusterFirewallSnapshots} s on s.cluster_id = c.id
    where c.api_token_encrypted is not null and (s.read_at is null or s.read_at not between ${before} and ${now}) order by c.id`);
  return rows.map(({ id }) => id);
}

/** Nodes of a cluster with how the inventory says that they filter. */
export function listClusterNodes(executor: Executor, clusterId: string) {
  return executor
    .select({ id: nodes.id, name: nodes.name, nftables: nodes.nftables })
    .from(nodes)
    .where(eq(nodes.cluster_id, clusterId))
    .orderBy(asc(nodes.sort_name));
}

/** VNets of a cluster as the inventory has them. */
export function listClusterVnets(executor: Executor, clusterId: string) {
  return executor
    .select({ id: networks.id, name: networks.name, node_names: networks.node_names })
    .from(networks)
    .where(and(eq(networks.cluster_id, clusterId), eq(networks.kind, 'vnet')))
    .orderBy(asc(networks.name));
}
export type VnetOfCluster = Awaited<ReturnType<typeof listClusterVnets>>[number];

/** Read as one state last at `last_read_at`, and as another first at `next_read_at`: which was live in between is not known. */
export type ReplacedReading = { last_read_at: string; next_read_at: string };

/** Workloads and clusters of which two readings with different states enclose a time, by ID. */
export async function listReplacedReadings(executor: Executor, at: string): Promise<Map<string, ReplacedReading>> {
  const { object_id, from_at, last_read_at, until_at, replaced } = pastFirewalls;
  const rows = await executor
    .select({ object_id, last_read_at, next_read_at: until_at })
    .from(pastFirewalls)
    .where(and(eq(replaced, true), lte(from_at, at), lt(last_read_at, at), gt(until_at, at)));
  return new Map(rows.map(({ object_id, ...times }) => [object_id, times]));
}
