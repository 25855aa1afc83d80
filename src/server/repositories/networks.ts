import { and, asc, eq, ilike, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Network, NetworkDetail, NetworkListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { db } from '../db/client';
import { clusters } from '../db/schema/clusters';
import { networks, subnets } from '../db/schema/networks';
import { addressesWhere, inSubnet, interfacesOn, networkInReach, subnetInReach } from './ipam-reach';
import { likePattern } from './like-pattern';
import { pageOfRows, type SortKeys } from './page-of-rows';

const columns = (reach: Reach) => ({
  id: networks.id,
  cluster_id: networks.cluster_id,
  cluster_name: clusters.name,
  name: networks.name,
  kind: networks.kind,
  zone: networks.zone,
  vlan_tag: networks.vlan_tag,
  vlan_aware: networks.vlan_aware,
  alias: networks.alias,
  description: networks.description,
  node_names: networks.node_names,
  source: networks.source,
  missing_since: networks.missing_since,
  interfaces_total: sql<number>`(select count(*)::int ${interfacesOn(reach)})`,
  subnets_total: sql<number>`(select count(*)::int from ${subnets} where ${and(eq(subnets.network_id, networks.id), subnetInReach(reach))})`,
  version: networks.version,
  created_at: networks.created_at,
  updated_at: networks.updated_at,
});

const sortsOf = (reach: Reach): SortKeys => ({
  name: { column: networks.name },
  kind: { column: networks.kind },
  cluster_name: { column: clusters.name },
  zone: { column: networks.zone, nullable: true },
  vlan_tag: { column: networks.vlan_tag, nullable: true },
  interfaces_total: { column: sql`(select count(*)::int ${interfacesOn(reach)})` },
});

const select = (reach: Reach) =>
  db.select(columns(reach)).from(networks).innerJoin(clusters, eq(clusters.id, networks.cluster_id)).$dynamic();

/** Networks within reach, page by page. Two queries. */
export async function listNetworks(reach: Reach, input: NetworkListInput): Promise<Page<Network>> {
  const pattern = input.q ? likePattern(input.q) : undefined;
  const conditions: (SQL | undefined)[] = [
    networkInReach(reach),
    input.cluster_id === undefined ? undefined : eq(networks.cluster_id, input.cluster_id),
    input.kind === undefined ? undefined : eq(networks.kind, input.kind),
    input.zone === undefined ? undefined : eq(networks.zone, input.zone),
    input.missing === undefined
      ? undefined
      : input.missing
        ? isNotNull(networks.missing_since)
        : isNull(networks.missing_since),
    pattern === undefined
      ? undefined
      : or(ilike(networks.name, pattern), ilike(networks.alias, pattern), ilike(networks.description, pattern)),
  ];
  return pageOfRows<Network>(input, { sorts: sortsOf(reach), sort: 'name', id: networks.id }, (paging) => ({
    rows: select(reach)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(networks, and(...conditions)),
  }));
}

/** One network within reach with its subnets, or null. Two queries. */
export async function findNetwork(reach: Reach, id: string): Promise<NetworkDetail | null> {
  const [[network], rows] = await Promise.all([
    select(reach).where(and(eq(networks.id, id), networkInReach(reach))),
    db
      .select({
        id: subnets.id,
        cidr: subnets.cidr,
        gateway: subnets.gateway,
        dns_servers: subnets.dns_servers,
        dhcp_enabled: subnets.dhcp_enabled,
        description: subnets.description,
        source: subnets.source,
        missing_since: subnets.missing_since,
        addresses_total: sql<number>`(select count(*)::int ${addressesWhere(inSubnet, reach)})`,
        version: subnets.version,
      })
      .from(subnets)
      .where(and(eq(subnets.network_id, id), subnetInReach(reach)))
      .orderBy(asc(subnets.cidr)),
  ]);
  return network ? { ...network, subnets: rows } : null;
}
