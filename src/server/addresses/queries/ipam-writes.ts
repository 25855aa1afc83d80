import { and, eq, inArray, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Executor, Tx } from '../../db/client';
import { ipAddresses } from '../../db/schema/addresses';
import { ipRanges } from '../../db/schema/ipam';
import { networks, subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';

export type AddressRow = typeof ipAddresses.$inferSelect;
export type AddressInsert = typeof ipAddresses.$inferInsert;
export type RangeRow = typeof ipRanges.$inferSelect;

export async function isNetworkNameTaken(executor: Executor, clusterId: string, name: string): Promise<boolean> {
  return (await executor.$count(networks, and(eq(networks.cluster_id, clusterId), eq(networks.name, name)))) > 0;
}

export async function insertNetwork(tx: Tx, row: typeof networks.$inferInsert): Promise<void> {
  await tx.insert(networks).values(row);
}

export async function updateNetworkRow(
  tx: Tx,
  id: string,
  changes: Partial<typeof networks.$inferInsert>,
): Promise<void> {
  await tx
    .update(networks)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(networks.id, id));
}

export async function deleteNetworkRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(networks).where(eq(networks.id, id));
}

export async function insertSubnet(tx: Tx, row: typeof subnets.$inferInsert): Promise<void> {
  await tx.insert(subnets).values(row);
}

export async function isSubnetTaken(executor: Executor, networkId: string, cidr: string): Promise<boolean> {
  return (
    (await executor.$count(subnets, and(eq(subnets.network_id, networkId), sql`${subnets.cidr} = ${cidr}::cidr`))) > 0
  );
}

export async function updateSubnetRow(
  tx: Tx,
  id: string,
  changes: Partial<typeof subnets.$inferInsert>,
): Promise<void> {
  await tx
    .update(subnets)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(subnets.id, id));
}

export async function deleteSubnetRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(subnets).where(eq(subnets.id, id));
}

/** Moves what lies directly in a subnet that is about to go to the prefix around it, ranges included. */
export async function moveToSubnet(tx: Tx, from: string, to: string): Promise<void> {
  await tx.update(ipAddresses).set({ subnet_id: to, updated_at: sql`now()` }).where(eq(ipAddresses.subnet_id, from));
  await tx.update(ipRanges).set({ subnet_id: to }).where(eq(ipRanges.subnet_id, from));
}

export async function countAddresses(executor: Executor, subnetId: string): Promise<number> {
  return executor.$count(ipAddresses, eq(ipAddresses.subnet_id, subnetId));
}

/** Addresses by id in the order of their ids, locked until the transaction ends. */
export async function lockAddresses(tx: Tx, ids: readonly string[]): Promise<AddressRow[]> {
  return tx
    .select()
    .from(ipAddresses)
    .where(inArray(ipAddresses.id, [...ids]))
    .orderBy(ipAddresses.id)
    .for('no key update');
}

/** The networks in which these addresses lie. */
export async function listAddressNetworks(executor: Executor, ids: readonly string[]): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ id: ipAddresses.network_id })
    .from(ipAddresses)
    .where(inArray(ipAddresses.id, [...ids]));
  return rows.map((row) => row.id);
}

export async function findStoredAddress(
  executor: Executor,
  networkId: string,
  address: string,
): Promise<{ id: string } | null> {
  const [row] = await executor
    .select({ id: ipAddresses.id })
    .from(ipAddresses)
    .where(and(eq(ipAddresses.network_id, networkId), sql`${ipAddresses.address} = ${address}::inet`));
  return row ?? null;
}

export async function insertAddress(tx: Tx, row: AddressInsert): Promise<void> {
  await tx.insert(ipAddresses).values(row);
}

export async function updateAddressRow(tx: Tx, id: string, changes: Partial<AddressInsert>): Promise<void> {
  await tx
    .update(ipAddresses)
    .set({ ...changes, version: sql`${ipAddresses.version} + 1`, updated_at: sql`now()` })
    .where(eq(ipAddresses.id, id));
}

export async function updateAddressRows(
  tx: Tx,
  ids: readonly string[],
  changes: Partial<AddressInsert>,
): Promise<void> {
  await tx
    .update(ipAddresses)
    .set({ ...changes, version: sql`${ipAddresses.version} + 1`, updated_at: sql`now()` })
    .where(inArray(ipAddresses.id, [...ids]));
}

export async function deleteAddressRows(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(ipAddresses).where(inArray(ipAddresses.id, [...ids]));
}

/** A workload as far as assignments go. */
export async function findAssignee(
  executor: Executor,
  workloadId: string,
): Promise<{
  id: string;
  cluster_id: string;
  name: string;
  interfaces: { id: string; mac: string | null; network_id: string | null }[];
} | null> {
  const rows = await executor
    .select({
      id: workloads.id,
      cluster_id: workloads.cluster_id,
      name: workloads.name,
      interface_id: workloadInterfaces.id,
      mac: workloadInterfaces.mac,
      network_id: workloadInterfaces.network_id,
    })
    .from(workloads)
    .leftJoin(workloadInterfaces, eq(workloadInterfaces.workload_id, workloads.id))
    .where(eq(workloads.id, workloadId));
  const [first] = rows;
  if (!first) return null;
  const interfaces = rows.flatMap(({ interface_id: id, mac, network_id }) => (id ? [{ id, mac, network_id }] : []));
  return { id: first.id, cluster_id: first.cluster_id, name: first.name, interfaces };
}

export async function lockRange(tx: Tx, id: string): Promise<RangeRow | null> {
  const [row] = await tx.select().from(ipRanges).where(eq(ipRanges.id, id)).for('no key update');
  return row ?? null;
}

export async function insertRange(tx: Tx, row: typeof ipRanges.$inferInsert): Promise<void> {
  await tx.insert(ipRanges).values(row);
}

export async function updateRangeRow(
  tx: Tx,
  id: string,
  changes: Partial<typeof ipRanges.$inferInsert>,
): Promise<void> {
  await tx
    .update(ipRanges)
    .set({ ...changes, version: sql`${ipRanges.version} + 1`, updated_at: sql`now()` })
    .where(eq(ipRanges.id, id));
}

export async function deleteRangeRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(ipRanges).where(eq(ipRanges.id, id));
}

/** The range of the subnet that shares an address with `first` to `last`, other than `exceptId`. */
export async function findOverlappingRange(
  executor: Executor,
  subnetId: string,
  first: string,
  last: string,
  exceptId: string | null,
): Promise<RangeRow | null> {
  const [row] = await executor
    .select()
    .from(ipRanges)
    .where(
      and(
        eq(ipRanges.subnet_id, subnetId),
        sql`${ipRanges.first_address} <= ${last}::inet and ${ipRanges.last_address} >= ${first}::inet`,
        exceptId === null ? undefined : sql`${ipRanges.id} <> ${exceptId}`,
      ),
    )
    .limit(1);
  return row ?? null;
}

/** A range of one subnet and a range of another that share an address, or null. */
export async function findRangeOverlap(
  executor: Executor,
  subnetId: string,
  otherId: string,
): Promise<{ own: RangeRow; other: RangeRow } | null> {
  const others = alias(ipRanges, 'others');
  const [row] = await executor
    .select({ own: ipRanges, other: others })
    .from(ipRanges)
    .innerJoin(
      others,
      sql`${others.first_address} <= ${ipRanges.last_address} and ${others.last_address} >= ${ipRanges.first_address}`,
    )
    .where(and(eq(ipRanges.subnet_id, subnetId), eq(others.subnet_id, otherId)))
    .orderBy(ipRanges.first_address, others.first_address)
    .limit(1);
  return row ?? null;
}

/** Ranges of the subnet that are not entirely inside `cidr`. */
export async function countRangesOutside(executor: Executor, subnetId: string, cidr: string): Promise<number> {
  return executor.$count(
    ipRanges,
    and(
      eq(ipRanges.subnet_id, subnetId),
      sql`not (${ipRanges.first_address} <<= ${cidr}::cidr and ${ipRanges.last_address} <<= ${cidr}::cidr)`,
    ),
  );
}
