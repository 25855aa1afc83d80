import { and, eq, inArray, ne, not, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { ipAddresses } from '../../db/schema/addresses';
import { ipamConflicts } from '../../db/schema/ipam';
import { networks, subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { batches, updateRows } from '../../db/update-rows';
import { isFinding } from './sightings';

/**
 * Keeps syncs from removing workloads of the cluster and their interfaces until the transaction ends: what it stores refers
 * to them. The workloads come first, as in syncs.
 * @returns the ids of the workloads that there are
 */
export async function lockWorkloads(tx: Tx, clusterId: string): Promise<Set<string>> {
  const rows = await tx
    .select({ id: workloads.id })
    .from(workloads)
    .where(eq(workloads.cluster_id, clusterId))
    .orderBy(workloads.id)
    .for('key share');
  await tx
    .select({ id: workloadInterfaces.id })
    .from(workloadInterfaces)
    .innerJoin(workloads, eq(workloads.id, workloadInterfaces.workload_id))
    .where(eq(workloads.cluster_id, clusterId))
    .orderBy(workloadInterfaces.id)
    .for('key share', { of: workloadInterfaces });
  return new Set(rows.map(({ id }) => id));
}

/** Everything that is stored about a cluster's addresses, as a discovery needs it. Four queries. */
export async function loadAddressSpace(executor: Executor, clusterId: string) {
  const [subnetRows, addresses, interfaces, conflicts] = await Promise.all([
    executor
      .select({
        id: subnets.id,
        network_id: subnets.network_id,
        cidr: subnets.cidr,
        removable: sql<boolean>`(${subnets.source} = 'discovery' and ${subnets.version} = 1 and ${subnets.description} = ''
          and not exists (select 1 from ip_ranges r where r.subnet_id = ${subnets.id}))`,
      })
      .from(subnets)
      .where(eq(subnets.cluster_id, clusterId)),
    executor
      .select({
        id: ipAddresses.id,
        network_id: ipAddresses.network_id,
        subnet_id: ipAddresses.subnet_id,
        address: sql<string>`host(${ipAddresses.address})`,
        workload_id: ipAddresses.workload_id,
        interface_id: ipAddresses.interface_id,
        mac: ipAddresses.mac,
        state: ipAddresses.state,
        source: ipAddresses.source,
        first_seen_at: ipAddresses.first_seen_at,
        last_seen_at: ipAddresses.last_seen_at,
        updated_at: ipAddresses.updated_at,
      })
      .from(ipAddresses)
      .where(eq(ipAddresses.cluster_id, clusterId)),
    executor
      .select({
        id: workloadInterfaces.id,
        workload_id: workloadInterfaces.workload_id,
        name: workloadInterfaces.name,
        mac: workloadInterfaces.mac,
        network_id: workloadInterfaces.network_id,
      })
      .from(workloadInterfaces)
      .innerJoin(workloads, eq(workloads.id, workloadInterfaces.workload_id))
      .where(and(eq(workloads.cluster_id, clusterId), eq(workloads.template, false))),
    executor
      .select({
        id: ipamConflicts.id,
        kind: ipamConflicts.kind,
        key: ipamConflicts.key,
        status: ipamConflicts.status,
        ip_address_id: ipamConflicts.ip_address_id,
        address: sql<string | null>`host(${ipamConflicts.address})`,
        workload_id: ipamConflicts.workload_id,
        other_workload_id: ipamConflicts.other_workload_id,
        other_mac: ipamConflicts.other_mac,
        other_source: ipamConflicts.other_source,
        state_before: ipamConflicts.state_before,
      })
      .from(ipamConflicts)
      .where(and(eq(ipamConflicts.cluster_id, clusterId), not(isFinding))),
  ]);
  return { subnets: subnetRows, addresses, interfaces, conflicts };
}

/** Makes the network of the discovery unless the cluster has it. @returns whether it was made */
export async function insertDiscoveredNetwork(
  tx: Tx,
  row: { id: string; cluster_id: string; name: string },
): Promise<boolean> {
  const rows = await tx
    .insert(networks)
    .values({ ...row, kind: 'discovered', source: 'discovery' })
    .onConflictDoNothing()
    .returning({ id: networks.id });
  return rows.length > 0;
}

export async function insertAddresses(tx: Tx, rows: readonly (typeof ipAddresses.$inferInsert)[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(ipAddresses).values(batch);
}

/** Changes addresses by id; a user editing one of them learns that it changed. */
export async function changeAddresses(
  tx: Tx,
  rows: readonly (Partial<typeof ipAddresses.$inferInsert> & { id: string })[],
): Promise<void> {
  await updateRows(tx, ipAddresses, rows);
  for (const batch of batches(rows)) {
    await tx
      .update(ipAddresses)
      .set({ version: sql`${ipAddresses.version} + 1` })
      .where(
        inArray(
          ipAddresses.id,
          batch.map((row) => row.id),
        ),
      );
  }
}

/** Notes when addresses were seen; that is no change of theirs. */
export async function updateAddressesSeen(
  tx: Tx,
  rows: readonly { id: string; first_seen_at: string; last_seen_at: string }[],
): Promise<void> {
  for (const batch of batches(rows)) {
    await tx.execute(sql`
      update ${ipAddresses} as a set first_seen_at = r.first_seen_at, last_seen_at = r.last_seen_at
      from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as r(id uuid, first_seen_at timestamptz, last_seen_at timestamptz)
      where a.id = r.id`);
  }
}

/** Deletes subnets of the discovery in which nothing lies. */
export async function deleteEmptySubnets(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .delete(subnets)
    .where(
      and(
        inArray(subnets.id, [...ids]),
        sql`not exists (select 1 from ${ipAddresses} where ${eq(ipAddresses.subnet_id, subnets.id)})`,
      ),
    );
}

type ConflictInsert = typeof ipamConflicts.$inferInsert;

export async function insertConflicts(tx: Tx, rows: readonly ConflictInsert[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(ipamConflicts).values(batch);
}

/** Opens conflicts again that had gone. */
export async function reopenConflicts(tx: Tx, rows: readonly (ConflictInsert & { id: string })[]): Promise<void> {
  await updateRows(
    tx,
    ipamConflicts,
    rows.map(({ key: _, ...row }) => ({
      ...row,
      status: 'open' as const,
      resolution: null,
      resolved_at: null,
      resolved_by_name: null,
    })),
  );
}

/** Marks conflicts as gone: the facts that contradicted each other are no more. */
export async function closeConflicts(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(ipamConflicts)
    .set({ status: 'gone', resolution: null, version: sql`${ipamConflicts.version} + 1`, updated_at: sql`now()` })
    .where(and(inArray(ipamConflicts.id, [...ids]), ne(ipamConflicts.status, 'gone')));
}
