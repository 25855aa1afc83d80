import { and, asc, eq, ilike, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { Cluster, ClusterCounts, ClusterListInput } from '@/domain/cluster';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../db/client';
import { likePattern } from '../../db/like-pattern';
import { pageOfRows, type SortKeys } from '../../db/page-of-rows';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters, nodes } from '../../db/schema/clusters';
import { networks, subnets } from '../../db/schema/networks';
import { syncRuns } from '../../db/schema/operations';
import { workloads } from '../../db/schema/workloads';

export type ClusterRow = typeof clusters.$inferSelect;

const countOf = (table: typeof nodes | typeof workloads | typeof networks | typeof subnets | typeof ipAddresses) =>
  sql<number>`(select count(*)::int from ${table} where ${eq(table.cluster_id, clusters.id)})`;

const activeRun = sql<
  Cluster['active_run']
>`(select json_build_object('id', ${syncRuns.id}, 'status', ${syncRuns.status},
  'stage', ${syncRuns.stage}, 'progress_done', ${syncRuns.progress_done}, 'progress_total', ${syncRuns.progress_total})
  from ${syncRuns} where ${eq(syncRuns.cluster_id, clusters.id)} and ${syncRuns.kind} = 'inventory'
  and ${syncRuns.status} in ('queued', 'running'))`;

/** A cluster as everyone may see it who may see it at all: without its token. */
const publicColumns = {
  id: clusters.id,
  name: clusters.name,
  api_url: clusters.api_url,
  has_api_token: sql<boolean>`${clusters.api_token_encrypted} is not null`,
  tls_fingerprint: clusters.tls_fingerprint,
  rule_placement: clusters.rule_placement,
  provider_version: clusters.provider_version,
  provider_name: clusters.provider_name,
  quorate: clusters.quorate,
  firewall_enabled: clusters.firewall_enabled,
  sync_status: clusters.sync_status,
  last_sync_at: clusters.last_sync_at,
  last_sync_error: clusters.last_sync_error,
  last_sync_error_code: clusters.last_sync_error_code,
  version: clusters.version,
  created_at: clusters.created_at,
  updated_at: clusters.updated_at,
  nodes: countOf(nodes),
  workloads: countOf(workloads),
  networks: countOf(networks),
  subnets: countOf(subnets),
  ip_addresses: countOf(ipAddresses),
  active_run: activeRun,
};

type PublicRow = Omit<Cluster, 'counts'> & ClusterCounts;

const withCounts = ({ nodes, workloads, networks, subnets, ip_addresses, ...cluster }: PublicRow): Cluster => ({
  ...cluster,
  counts: { nodes, workloads, networks, subnets, ip_addresses },
});

/** One cluster with its counts, or null. One query. */
export async function findCluster(executor: Executor, id: string): Promise<Cluster | null> {
  const [row] = await executor.select(publicColumns).from(clusters).where(eq(clusters.id, id));
  return row ? withCounts(row) : null;
}

const SORTS: SortKeys = {
  name: { column: clusters.name },
  api_url: { column: clusters.api_url },
  sync_status: { column: clusters.sync_status },
  last_sync_at: { column: clusters.last_sync_at, nullable: true },
  created_at: { column: clusters.id },
};

/** Clusters page by page with their counts. Two queries. */
export async function listClusters(input: ClusterListInput): Promise<Page<Cluster>> {
  const conditions: (SQL | undefined)[] = [
    input.sync_status && eq(clusters.sync_status, input.sync_status),
    input.q ? or(ilike(clusters.name, likePattern(input.q)), ilike(clusters.api_url, likePattern(input.q))) : undefined,
  ];
  const page = await pageOfRows<PublicRow>(input, { sorts: SORTS, sort: 'name', id: clusters.id }, (paging) => ({
    rows: db
      .select(publicColumns)
      .from(clusters)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(clusters, and(...conditions)),
  }));
  return { ...page, items: page.items.map(withCounts) };
}

/** The whole row, with the encrypted token: for services that open a connection or change the cluster. */
export async function findClusterRow(executor: Executor, id: string): Promise<ClusterRow | null> {
  const [row] = await executor.select().from(clusters).where(eq(clusters.id, id));
  return row ?? null;
}

/** As `findClusterRow`; other writers of this cluster wait until the transaction ends. */
export async function lockClusterRow(tx: Tx, id: string): Promise<ClusterRow | null> {
  const [row] = await tx.select().from(clusters).where(eq(clusters.id, id)).for('no key update');
  return row ?? null;
}

/** As `lockClusterRow`, and new references to the cluster wait as well: it is about to go. */
export async function lockClusterForDelete(tx: Tx, id: string): Promise<ClusterRow | null> {
  const [row] = await tx.select().from(clusters).where(eq(clusters.id, id)).for('update');
  return row ?? null;
}

/** Keeps the cluster from being deleted until the transaction ends; changes of its settings do not wait. */
export async function holdCluster(tx: Tx, id: string): Promise<Pick<ClusterRow, 'api_url'> | null> {
  const [row] = await tx
    .select({ api_url: clusters.api_url })
    .from(clusters)
    .where(eq(clusters.id, id))
    .for('key share');
  return row ?? null;
}

export async function clusterNameTaken(executor: Executor, name: string): Promise<boolean> {
  return (await executor.$count(clusters, eq(clusters.name, name))) > 0;
}

export async function insertCluster(tx: Tx, row: typeof clusters.$inferInsert): Promise<void> {
  await tx.insert(clusters).values(row);
}

export async function updateCluster(tx: Tx, id: string, changes: Partial<ClusterRow>): Promise<void> {
  await tx
    .update(clusters)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(clusters.id, id));
}

/** Removes a cluster and all that hangs off it. */
export async function deleteClusterRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(clusters).where(eq(clusters.id, id));
}

/** Ids of the clusters that have a token, oldest first: those that can be synced. */
export async function listSyncableClusterIds(executor: Executor): Promise<string[]> {
  const rows = await executor
    .select({ id: clusters.id })
    .from(clusters)
    .where(isNotNull(clusters.api_token_encrypted))
    .orderBy(asc(clusters.id));
  return rows.map((row) => row.id);
}
