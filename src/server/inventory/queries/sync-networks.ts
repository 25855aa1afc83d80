import { eq, inArray, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { ipAddresses } from '../../db/schema/addresses';
import { ipRanges } from '../../db/schema/ipam';
import { networks, subnets } from '../../db/schema/networks';
import { workloadInterfaces } from '../../db/schema/workloads';
import { batches, updateRows } from '../../db/update-rows';

type NetworkRow = typeof networks.$inferSelect;
type NetworkInsert = typeof networks.$inferInsert;
type SubnetRow = typeof subnets.$inferSelect;
type SubnetInsert = typeof subnets.$inferInsert;

const networkColumns = {
  id: networks.id,
  name: networks.name,
  kind: networks.kind,
  zone: networks.zone,
  vlan_tag: networks.vlan_tag,
  vlan_aware: networks.vlan_aware,
  alias: networks.alias,
  node_names: networks.node_names,
  source: networks.source,
  missing_since: networks.missing_since,
};

/** A cluster's networks as a sync knows them; `in_use` when something hangs on one that a sync did not make. */
export async function listNetworksForSync(
  executor: Executor,
  clusterId: string,
): Promise<(Pick<NetworkRow, keyof typeof networkColumns> & { in_use: boolean })[]> {
  return executor
    .select({
      ...networkColumns,
      in_use: sql<boolean>`(${networks.version} > 1 or ${networks.description} <> ''
        or exists (select 1 from ${workloadInterfaces} where ${eq(workloadInterfaces.network_id, networks.id)})
        or exists (select 1 from ${subnets} where ${eq(subnets.network_id, networks.id)}
          and (${subnets.source} <> 'provider' or ${subnets.version} > 1))
        or exists (select 1 from ${ipRanges} where ${eq(ipRanges.network_id, networks.id)})
        or exists (select 1 from ${ipAddresses} where ${eq(ipAddresses.cluster_id, networks.cluster_id)}
          and ${eq(ipAddresses.network_id, networks.id)}))`,
    })
    .from(networks)
    .where(eq(networks.cluster_id, clusterId));
}

/** A cluster's subnets as a sync knows them. */
export async function listSubnetsForSync(
  executor: Executor,
  clusterId: string,
): Promise<
  (Pick<
    SubnetRow,
    'id' | 'network_id' | 'cidr' | 'gateway' | 'dns_servers' | 'dhcp_enabled' | 'source' | 'missing_since'
  > & {
    edited: boolean;
    in_use: boolean;
  })[]
> {
  return executor
    .select({
      id: subnets.id,
      network_id: subnets.network_id,
      cidr: subnets.cidr,
      gateway: subnets.gateway,
      dns_servers: subnets.dns_servers,
      dhcp_enabled: subnets.dhcp_enabled,
      source: subnets.source,
      missing_since: subnets.missing_since,
      edited: sql<boolean>`${subnets.version} > 1`,
      in_use: sql<boolean>`(${subnets.version} > 1 or ${subnets.description} <> ''
        or exists (select 1 from ${ipRanges} where ${eq(ipRanges.subnet_id, subnets.id)})
        or exists (select 1 from ${ipAddresses} where ${eq(ipAddresses.subnet_id, subnets.id)}))`,
    })
    .from(subnets)
    .where(eq(subnets.cluster_id, clusterId));
}

export async function insertNetworks(tx: Tx, rows: readonly NetworkInsert[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(networks).values(batch);
}

export async function updateNetworks(
  tx: Tx,
  rows: readonly (Partial<NetworkInsert> & { id: string })[],
): Promise<void> {
  await updateRows(tx, networks, rows);
}

export async function deleteNetworks(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(networks).where(inArray(networks.id, [...ids]));
}

export async function insertSubnets(tx: Tx, rows: readonly SubnetInsert[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(subnets).values(batch);
}

export async function updateSubnets(tx: Tx, rows: readonly (Partial<SubnetInsert> & { id: string })[]): Promise<void> {
  await updateRows(tx, subnets, rows);
}

export async function deleteSubnets(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(subnets).where(inArray(subnets.id, [...ids]));
}
