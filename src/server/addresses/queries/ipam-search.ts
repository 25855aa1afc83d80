import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { IpAddress } from '@/domain/ipam/ip-address';
import type { IpamSearchResult } from '@/domain/ipam/search';
import type { Subnet } from '@/domain/ipam/subnet';
import type { Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { likePattern } from '../../db/declared-fields';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { networks, subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { isSubnetInReach, subnetInReach } from '../../inventory/queries/ipam-reach';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';
import { addressFilters, findIpAddresses } from './ip-addresses';
import { findSubnets } from './subnets';

/** Visible subnets that meet the condition, in that order, with usage. Three queries. */
async function subnetsWhere(reach: Reach, condition: SQL, order: SQL, limit: number): Promise<Subnet[]> {
  const ids = await db
    .select({ id: subnets.id })
    .from(subnets)
    .where(and(condition, subnetInReach(reach)))
    .orderBy(order, subnets.id)
    .limit(limit);
  const found = new Map(
    (
      await findSubnets(
        reach,
        ids.map((row) => row.id),
      )
    ).map((row) => [row.id, row]),
  );
  return ids.flatMap(({ id }) => found.get(id) ?? []);
}

/** Addresses equal to this one, in every visible network. */
export const findByAddress = (reach: Reach, address: string, limit: number): Promise<IpAddress[]> =>
  findIpAddresses(reach, sql`${ipAddresses.address} = ${address}::inet`, limit);

/** The longest visible prefix of each network that holds the address, longest first. */
export const findContainingSubnets = (reach: Reach, address: string, limit: number): Promise<Subnet[]> =>
  subnetsWhere(
    reach,
    sql`${subnets.id} in (select distinct on (s.network_id) s.id from ${subnets} s where s.cidr >>= ${address}::inet
      and ${isSubnetInReach(sql.raw('s.id'), reach)} order by s.network_id, masklen(s.cidr) desc)`,
    sql`masklen(${subnets.cidr}) desc`,
    limit,
  );

/** Addresses with this MAC address, or of a card with it. Two index lookups, where an OR would read the whole table. */
export const findByMac = (reach: Reach, mac: string, limit: number): Promise<IpAddress[]> =>
  findIpAddresses(
    reach,
    sql`${ipAddresses.id} in (
      select a.id from ${ipAddresses} a where a.mac = ${mac}::macaddr
      union select a.id from ${workloadInterfaces} i
        join ${ipAddresses} a on a.workload_id = i.workload_id and a.interface_id = i.id
        where i.mac = ${mac}::macaddr)`,
    limit,
  );

/** Interfaces with this MAC address, of visible workloads. */
export async function findInterfacesByMac(
  reach: Reach,
  mac: string,
  limit: number,
): Promise<IpamSearchResult['interfaces']> {
  return db
    .select({
      id: workloadInterfaces.id,
      name: workloadInterfaces.name,
      mac: sql<string>`${workloadInterfaces.mac}`,
      workload_id: workloads.id,
      workload_name: workloads.name,
      external_id: workloads.external_id,
      cluster_id: workloads.cluster_id,
      cluster_name: clusters.name,
    })
    .from(workloadInterfaces)
    .innerJoin(workloads, eq(workloads.id, workloadInterfaces.workload_id))
    .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .where(and(sql`${workloadInterfaces.mac} = ${mac}::macaddr`, workloadInReach(reach)))
    .orderBy(workloads.name, workloadInterfaces.name)
    .limit(limit);
}

/** The prefix itself in every network, then those inside it, then those around it. */
export const findAroundCidr = (reach: Reach, cidr: string, limit: number): Promise<Subnet[]> =>
  subnetsWhere(
    reach,
    sql`${subnets.cidr} && ${cidr}::inet`,
    sql`case when ${subnets.cidr} = ${cidr}::cidr then 0 when ${subnets.cidr} << ${cidr}::inet then 1 else 2 end, ${subnets.cidr}`,
    limit,
  );

export const findAddressesWithin = (reach: Reach, cidr: string, limit: number): Promise<IpAddress[]> =>
  findIpAddresses(reach, sql`${ipAddresses.address} <<= ${cidr}::inet`, limit);

/** Addresses that begin so, or whose host name, description or workload has the text. */
export const findAddressesByText = (reach: Reach, text: string, limit: number): Promise<IpAddress[]> =>
  findIpAddresses(reach, and(...addressFilters({ q: text })), limit);

export const findSubnetsByText = (reach: Reach, text: string, limit: number): Promise<Subnet[]> =>
  subnetsWhere(
    reach,
    sql`(${subnets.cidr}::text ilike ${`${likePattern(text).slice(1)}`} or ${subnets.description} ilike ${likePattern(text)}
      or ${subnets.network_id} in (select n.id from ${networks} n where n.name ilike ${likePattern(text)}))`,
    sql`${subnets.cidr}`,
    limit,
  );
