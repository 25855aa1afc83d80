import { and, eq, inArray, sql } from 'drizzle-orm';
import { MAX_IMPORT_CHANGES } from '@/domain/choices';
import {
  type ImportChange,
  type ImportChangesInput,
  type ImportChangesPage,
  type ImportListInput,
  IpamImport,
  IpamImportDetail,
} from '@/domain/ipam/csv-import';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { ipamImports } from '../../db/schema/ipam';
import { networks, subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { runLeases } from '../../jobs/queries/run-leases';

/** Clusters by their names; null: all of them. */
export async function findClustersByName(executor: Executor, names: readonly string[] | null) {
  if (names?.length === 0) return [];
  return executor
    .select({ id: clusters.id, name: clusters.name })
    .from(clusters)
    .where(names ? inArray(clusters.name, [...names]) : undefined);
}

/** All networks of these clusters, locked against changes of their prefixes and addresses. */
export async function lockNetworksByCluster(tx: Tx, clusterIds: readonly string[]) {
  if (clusterIds.length === 0) return [];
  return tx
    .select({ id: networks.id, cluster_id: networks.cluster_id, name: networks.name })
    .from(networks)
    .where(inArray(networks.cluster_id, [...clusterIds]))
    .orderBy(networks.id)
    .for('no key update');
}

export async function listSubnetsByCluster(executor: Executor, clusterIds: readonly string[]) {
  return executor
    .select()
    .from(subnets)
    .where(inArray(subnets.cluster_id, [...clusterIds]));
}

export async function listAddressesByCluster(executor: Executor, clusterIds: readonly string[]) {
  return executor
    .select({
      id: ipAddresses.id,
      network_id: ipAddresses.network_id,
      address: sql<string>`host(${ipAddresses.address})`,
      state: ipAddresses.state,
      source: ipAddresses.source,
      workload_id: ipAddresses.workload_id,
      interface_id: ipAddresses.interface_id,
      mac: ipAddresses.mac,
      hostname: ipAddresses.hostname,
      description: ipAddresses.description,
    })
    .from(ipAddresses)
    .where(inArray(ipAddresses.cluster_id, [...clusterIds]));
}

/** Workloads of these clusters with their cards. */
export async function listAssigneesByCluster(executor: Executor, clusterIds: readonly string[]) {
  return executor
    .select({
      id: workloads.id,
      cluster_id: workloads.cluster_id,
      vmid: workloads.vmid,
      external_id: workloads.external_id,
      name: workloads.name,
      interfaces: sql<{ id: string; mac: string | null; network_id: string | null }[]>`coalesce((
        select json_agg(json_build_object('id', i.id, 'mac', i.mac, 'network_id', i.network_id))
        from ${workloadInterfaces} i where i.workload_id = ${workloads.id}), '[]')`,
    })
    .from(workloads)
    .where(inArray(workloads.cluster_id, [...clusterIds]));
}

const sliceChanges = (offset: number, limit: number) => sql<ImportChange[]>`(
  select coalesce(jsonb_agg(c.value order by c.at), '[]') from jsonb_array_elements(${ipamImports.changes})
    with ordinality as c(value, at) where c.at > ${offset} and c.at <= ${offset + limit})`;

export type ImportRow = typeof ipamImports.$inferSelect;

export const importLeases = runLeases(ipamImports);

export async function insertImport(tx: Tx, row: typeof ipamImports.$inferInsert): Promise<void> {
  await tx.insert(ipamImports).values(row);
}

/** Imports page by page, newest first. Two queries. */
export async function listImports(input: ImportListInput): Promise<Page<IpamImport>> {
  // Nothing of a run is searched by text.
  const conditions = buildConditions(input, ipamImports, { q: () => undefined });
  return queryPage<IpamImport>(
    input,
    { sorts: { created_at: { column: ipamImports.id } }, sort: '-created_at', id: ipamImports.id },
    (paging) => ({
      rows: db
        .select(selectColumns(IpamImport, ipamImports, {}))
        .from(ipamImports)
        .where(and(...conditions, paging.after))
        .orderBy(...paging.order)
        .limit(paging.limit),
      total: db.$count(ipamImports, and(...conditions)),
    }),
  );
}

/** A dry run as an import compares itself with it, or null. */
export async function findPreview(executor: Executor, id: string) {
  const { kind, dry_run, status, sha256, plan_hash, changes, changes_total } = ipamImports;
  const [row] = await executor
    .select({ kind, dry_run, status, sha256, plan_hash, changes, changes_total })
    .from(ipamImports)
    .where(eq(ipamImports.id, id));
  return row ?? null;
}

/** Changes from an offset, without reading the others; null without such an import. One query. */
export async function findImportChanges(
  id: string,
  { offset, limit }: ImportChangesInput,
): Promise<ImportChangesPage | null> {
  const [row] = await db
    .select({ items: sliceChanges(offset, limit), total: sql<number>`jsonb_array_length(${ipamImports.changes})` })
    .from(ipamImports)
    .where(eq(ipamImports.id, id));
  return row ?? null;
}

export async function findImport(id: string): Promise<IpamImportDetail | null> {
  const [row] = await db
    .select(selectColumns(IpamImportDetail, ipamImports, { changes: sliceChanges(0, MAX_IMPORT_CHANGES) }))
    .from(ipamImports)
    .where(eq(ipamImports.id, id));
  return row ?? null;
}
