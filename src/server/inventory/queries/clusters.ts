import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { CLUSTER_SORTS } from '@/domain/choices';
import { Cluster, ClusterCounts, type ClusterListInput } from '@/domain/cluster';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { keyOrder } from '../../db/natural-order';
import { queryPage } from '../../db/query-page';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters, nodes } from '../../db/schema/clusters';
import { networks, subnets } from '../../db/schema/networks';
import { syncRuns } from '../../db/schema/operations';
import { workloads } from '../../db/schema/workloads';

export type ClusterRow = typeof clusters.$inferSelect;

const countRows = (table: typeof nodes | typeof workloads | typeof networks | typeof subnets | typeof ipAddresses) =>
  sql<number>`(select count(*)::int from ${table} where ${eq(table.cluster_id, clusters.id)})`;

const activeRun = sql<
  Cluster['active_run']
>`(select json_build_object('id', ${syncRuns.id}, 'status', ${syncRuns.status},
  'stage', ${syncRuns.stage}, 'progress_done', ${syncRuns.progress_done}, 'progress_total', ${syncRuns.progress_total})
  from ${syncRuns} where ${eq(syncRuns.cluster_id, clusters.id)} and ${syncRuns.kind} = 'inventory'
  and ${syncRuns.status} in ('queued', 'running'))`;

/** A cluster as everyone may see it who may see it at all: without its token. Its counts are columns. */
const CountedCluster = Cluster.omit({ counts: true }).extend(ClusterCounts.shape);
type PublicRow = z.output<typeof CountedCluster>;

const publicColumns = selectColumns(CountedCluster, clusters, {
  has_api_token: sql<boolean>`${clusters.api_token_encrypted} is not null`,
  nodes: countRows(nodes),
  workloads: countRows(workloads),
  networks: countRows(networks),
  subnets: countRows(subnets),
  ip_addresses: countRows(ipAddresses),
  active_run: activeRun,
});
const SORTS = {
  ...buildSortKeys(CountedCluster, CLUSTER_SORTS, publicColumns),
  name: keyOrder(clusters.sort_name, 'name'),
};

const withCounts = ({ nodes, workloads, networks, subnets, ip_addresses, ...cluster }: PublicRow): Cluster => ({
  ...cluster,
  counts: { nodes, workloads, networks, subnets, ip_addresses },
});

/** One cluster with its counts, or null. One query. */
export async function findCluster(executor: Executor, id: string): Promise<Cluster | null> {
  const [row] = await executor.select(publicColumns).from(clusters).where(eq(clusters.id, id));
  return row ? withCounts(row) : null;
}

/** Clusters page by page with their counts. Two queries. */
export async function listClusters(input: ClusterListInput): Promise<Page<Cluster>> {
  const conditions = buildConditions(input, clusters, { q: hasText(clusters.name, clusters.api_url) });
  const page = await queryPage<PublicRow>(input, { sorts: SORTS, sort: 'name', id: clusters.id }, (paging) => ({
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
export async function lockClusterForShare(tx: Tx, id: string): Promise<Pick<ClusterRow, 'api_url'> | null> {
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
