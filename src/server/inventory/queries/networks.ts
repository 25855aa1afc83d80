import { and, asc, eq, sql } from 'drizzle-orm';
import { NETWORK_SORTS } from '@/domain/choices';
import { Network, type NetworkDetail, type NetworkListInput, NetworkSubnet } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, isSet, selectColumns } from '../../db/declared-fields';
import { keyOrder, naturalOrder } from '../../db/natural-order';
import { queryPage } from '../../db/query-page';
import { clusters } from '../../db/schema/clusters';
import { networks, subnets } from '../../db/schema/networks';
import { addressesWhere, inSubnet, interfacesOn, networkInReach, subnetInReach } from './ipam-reach';

const columns = (reach: Reach) =>
  selectColumns(Network, networks, {
    cluster_name: clusters.name,
    interfaces_total: sql<number>`(select count(*)::int ${interfacesOn(reach)})`,
    subnets_total: sql<number>`(select count(*)::int from ${subnets} where ${and(eq(subnets.network_id, networks.id), subnetInReach(reach))})`,
  });

const select = (reach: Reach) =>
  db.select(columns(reach)).from(networks).innerJoin(clusters, eq(clusters.id, networks.cluster_id)).$dynamic();

/** Networks visible to the caller, page by page. Two queries. */
export async function listNetworks(reach: Reach, input: NetworkListInput): Promise<Page<Network>> {
  const conditions = [
    networkInReach(reach),
    ...buildConditions(input, networks, {
      q: hasText(
        networks.name,
        networks.alias,
        networks.description,
        networks.zone,
        sql`${networks.vlan_tag}::text`,
        hasName(networks.cluster_id, clusters),
      ),
      missing: isSet(networks.missing_since),
    }),
  ];
  const sorts = {
    ...buildSortKeys(Network, NETWORK_SORTS, columns(reach)),
    name: naturalOrder(networks.name, 'name'),
    cluster_name: keyOrder(clusters.sort_name, 'cluster_name'),
  };
  return queryPage<Network>(input, { sorts, sort: 'name', id: networks.id }, (paging) => ({
    rows: select(reach)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(networks, and(...conditions)),
  }));
}

/** One network visible to the caller with its subnets, or null. Two queries. */
export async function findNetwork(reach: Reach, id: string): Promise<NetworkDetail | null> {
  const [[network], rows] = await Promise.all([
    select(reach).where(and(eq(networks.id, id), networkInReach(reach))),
    db
      .select(
        selectColumns(NetworkSubnet, subnets, {
          addresses_total: sql<number>`(select count(*)::int ${addressesWhere(inSubnet, reach)})`,
        }),
      )
      .from(subnets)
      .where(and(eq(subnets.network_id, id), subnetInReach(reach)))
      .orderBy(asc(subnets.cidr)),
  ]);
  return network ? { ...network, subnets: rows } : null;
}
