import { and, asc, eq, ilike, inArray, or, type SQL, sql } from 'drizzle-orm';
import { SUBNET_SORTS } from '@/domain/choices';
import type { AddressState } from '@/domain/ipam/ip-address';
import { Subnet, type SubnetDetail, type SubnetListInput } from '@/domain/ipam/subnet';
import { computeUsage, noAddresses, type StateCounts } from '@/domain/ipam/usage';
import type { Page } from '@/domain/list';
import { parseCidr } from '@/domain/net/cidr';
import type { Reach } from '@/domain/permissions';
import { db, type Executor } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, isSet, likePattern, selectColumns } from '../../db/declared-fields';
import { keyOrder } from '../../db/natural-order';
import { pgArray } from '../../db/pg-array';
import { queryPage } from '../../db/query-page';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { ipamConflicts, ipRanges } from '../../db/schema/ipam';
import { networks, subnets } from '../../db/schema/networks';
import { workloads } from '../../db/schema/workloads';
import { addressInReach, isSubnetInReach, subnetInReach } from '../../inventory/queries/ipam-reach';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';
import { conflictInReach } from './ipam-conflicts';
import { isInCidr } from './ipam-space';

const P = sql.raw('p.id');

/** The narrowest visible prefix that contains the subnet. */
const parentId = (tenants: Reach) => sql<string | null>`(select p.id from ${subnets} p
  where p.network_id = ${subnets.network_id} and p.cidr >> ${subnets.cidr} and ${isSubnetInReach(P, tenants)}
  order by masklen(p.cidr) desc limit 1)`;

const StoredSubnet = Subnet.omit({ usage: true });
export type SubnetWithoutUsage = Omit<Subnet, 'usage'>;

const columns = (tenants: Reach) =>
  selectColumns(StoredSubnet, subnets, {
    cluster_name: clusters.name,
    network_name: networks.name,
    family: sql<4 | 6>`family(${subnets.cidr})`,
    parent_id: parentId(tenants),
    gateway: sql<string | null>`host(${subnets.gateway})`,
  });
const SORTS = {
  ...buildSortKeys(StoredSubnet, SUBNET_SORTS, columns('all')),
  cluster_name: keyOrder(clusters.sort_name, 'cluster_name'),
};

const select = (executor: Executor, tenants: Reach) =>
  executor
    .select(columns(tenants))
    .from(subnets)
    .innerJoin(networks, eq(networks.id, subnets.network_id))
    .innerJoin(clusters, eq(clusters.id, subnets.cluster_id))
    .$dynamic();

type UsageRow = { id: string; state: keyof StateCounts; n: number };

/**
 * Addresses by state in each of these subnets and their child prefixes; of visible workloads only. One query for any
 * number of subnets: each address is counted once, in its own prefix, and the counts are then added up.
 */
export async function countUsage(
  executor: Executor,
  tenants: Reach,
  ids: readonly string[],
): Promise<Map<string, StateCounts>> {
  const counts = new Map<string, StateCounts>(ids.map((id) => [id, noAddresses()]));
  if (ids.length === 0) return counts;
  const reach = workloadInReach(tenants);
  const visible = reach ? sql`join ${workloads} on ${eq(workloads.id, ipAddresses.workload_id)} and ${reach}` : sql``;
  const rows = await executor.execute<UsageRow>(sql`
    with pairs as materialized (
        select p.id as root, d.id as subnet_id from ${subnets} p
          join ${subnets} d on d.network_id = p.network_id and ${isInCidr(sql`d.cidr`, sql`p.cidr`)}
        where p.id = any(${pgArray('uuid', ids)})),
      direct as materialized (
        select ${ipAddresses.subnet_id} as subnet_id, ${ipAddresses.state} as state, count(*)::int as n
        from ${ipAddresses} ${visible} where ${ipAddresses.subnet_id} in (select subnet_id from pairs) group by 1, 2)
    select root as id, state, sum(n)::int as n from pairs join direct using (subnet_id) group by 1, 2`);
  for (const { id, state, n } of rows) {
    const found = counts.get(id);
    if (found) found[state] = n;
  }
  return counts;
}

/** Rows with their usage added. */
export async function withUsage<T extends { id: string; cidr: string }>(
  executor: Executor,
  tenants: Reach,
  rows: readonly T[],
): Promise<(T & Pick<Subnet, 'usage'>)[]> {
  const counts = await countUsage(
    executor,
    tenants,
    rows.map((row) => row.id),
  );
  return rows.map((row) => {
    const cidr = parseCidr(row.cidr);
    if (!cidr) throw new Error(`expected a stored prefix, not ${row.cidr}`);
    return { ...row, usage: computeUsage(cidr, counts.get(row.id) ?? noAddresses()) };
  });
}

function searchCondition(text: string): SQL | undefined {
  const pattern = likePattern(text);
  return or(
    ilike(subnets.description, pattern),
    hasName(subnets.cluster_id, clusters)(text),
    sql`${subnets.cidr}::text ilike ${pattern}`,
    sql`${subnets.network_id} in (select n.id from ${networks} n where n.name ilike ${pattern})`,
  );
}

/** Conditions of a list's filters. */
const filters = (input: SubnetListInput): (SQL | undefined)[] =>
  buildConditions(input, subnets, {
    q: searchCondition,
    family: (family) => sql`family(${subnets.cidr}) = ${family}`,
    within: (cidr) => sql`${subnets.cidr} <<= ${cidr}::cidr`,
    contains: (address) => sql`${subnets.cidr} >>= ${address}::inet`,
    missing: isSet(subnets.missing_since),
  });

/** Visible subnets, page by page. Three queries. */
export async function listSubnets(tenants: Reach, input: SubnetListInput): Promise<Page<Subnet>> {
  const conditions = [subnetInReach(tenants), ...filters(input)];
  const page = await queryPage<SubnetWithoutUsage>(input, { sorts: SORTS, sort: 'cidr', id: subnets.id }, (paging) => ({
    rows: select(db, tenants)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(subnets, and(...conditions)),
  }));
  return { ...page, items: await withUsage(db, tenants, page.items) };
}

/** Visible subnets with these ids, unordered, with usage. Two queries. */
export async function findSubnets(tenants: Reach, ids: readonly string[]): Promise<Subnet[]> {
  if (ids.length === 0) return [];
  const rows = await select(db, tenants).where(and(inArray(subnets.id, [...ids]), subnetInReach(tenants)));
  return withUsage(db, tenants, rows);
}

/** One visible subnet with its surroundings, or null. */
export async function findSubnet(executor: Executor, tenants: Reach, id: string): Promise<SubnetDetail | null> {
  const [row] = await executor
    .select({
      ...columns(tenants),
      ancestors: sql<SubnetDetail['ancestors']>`(select coalesce(json_agg(json_build_object('id', p.id, 'cidr', p.cidr)
        order by masklen(p.cidr)), '[]') from ${subnets} p where p.network_id = ${subnets.network_id} and p.cidr >> ${subnets.cidr}
          and ${isSubnetInReach(P, tenants)})`,
      children_total: sql<number>`(select count(*)::int from ${subnets} d where d.network_id = ${subnets.network_id}
        and d.cidr << ${subnets.cidr} and ${isSubnetInReach(sql.raw('d.id'), tenants)}
        and not exists (select 1 from ${subnets} m where m.network_id = d.network_id
          and m.cidr << ${subnets.cidr} and m.cidr >> d.cidr and ${isSubnetInReach(sql.raw('m.id'), tenants)}))`,
      ranges_total: sql<number>`(select count(*)::int from ${ipRanges} where ${eq(ipRanges.subnet_id, subnets.id)})`,
      conflicts_open: sql<number>`(select count(*)::int from ${ipamConflicts} join ${ipAddresses} on ${eq(ipAddresses.id, ipamConflicts.ip_address_id)}
        where ${eq(ipAddresses.subnet_id, subnets.id)} and ${ipamConflicts.status} = 'open'
          and ${conflictInReach(tenants) ?? sql`true`})`,
    })
    .from(subnets)
    .innerJoin(networks, eq(networks.id, subnets.network_id))
    .innerJoin(clusters, eq(clusters.id, subnets.cluster_id))
    .where(and(eq(subnets.id, id), subnetInReach(tenants)));
  if (!row) return null;
  const [detail] = await withUsage(executor, tenants, [row]);
  return detail ?? null;
}

/** Every visible subnet of a network, and the addresses by state that are directly in each. Two queries. */
export async function listNetworkSubnets(
  tenants: Reach,
  networkId: string,
): Promise<{ rows: SubnetWithoutUsage[]; direct: Map<string, StateCounts> }> {
  const reach = workloadInReach(tenants);
  const visible = reach ? sql`join ${workloads} on ${eq(workloads.id, ipAddresses.workload_id)} and ${reach}` : sql``;
  const [rows, counted] = await Promise.all([
    db
      .select({ ...columns(tenants), parent_id: sql<null>`null` })
      .from(subnets)
      .innerJoin(networks, eq(networks.id, subnets.network_id))
      .innerJoin(clusters, eq(clusters.id, subnets.cluster_id))
      .where(and(eq(subnets.network_id, networkId), subnetInReach(tenants)))
      .orderBy(asc(subnets.cidr)),
    db.execute<UsageRow>(sql`
      select ${ipAddresses.subnet_id} as id, ${ipAddresses.state} as state, count(*)::int as n from ${ipAddresses} ${visible}
      where ${ipAddresses.subnet_id} in (select s.id from ${subnets} s where s.network_id = ${networkId}) group by 1, 2`),
  ]);
  const direct = new Map<string, StateCounts>();
  for (const { id, state, n } of counted) {
    const counts = direct.get(id) ?? noAddresses();
    counts[state] = n;
    direct.set(id, counts);
  }
  return { rows, direct };
}

type GridAddress = {
  id: string;
  address: string;
  state: AddressState;
  subnet_id: string;
  hostname: string | null;
  description: string;
  workload_id: string | null;
  workload_name: string | null;
};

/** Addresses of a network from `first` to `last`, of visible workloads. One query. */
export function listAddressesBetween(
  reach: Reach,
  place: { cluster_id: string; network_id: string },
  first: string,
  last: string,
): Promise<GridAddress[]> {
  return db
    .select({
      id: ipAddresses.id,
      address: sql<string>`host(${ipAddresses.address})`,
      state: ipAddresses.state,
      subnet_id: ipAddresses.subnet_id,
      hostname: ipAddresses.hostname,
      description: ipAddresses.description,
      workload_id: ipAddresses.workload_id,
      workload_name: workloads.name,
    })
    .from(ipAddresses)
    .leftJoin(workloads, eq(workloads.id, ipAddresses.workload_id))
    .where(
      and(
        eq(ipAddresses.cluster_id, place.cluster_id),
        eq(ipAddresses.network_id, place.network_id),
        sql`${ipAddresses.address} between ${first}::inet and ${last}::inet`,
        addressInReach(reach),
      ),
    )
    .orderBy(ipAddresses.address);
}

/** Visible prefixes inside the subnet that overlap the part from `first` to `last`, wider before narrower. */
export async function listPrefixesBetween(
  reach: Reach,
  place: { network_id: string; cidr: string },
  first: string,
  last: string,
): Promise<{ id: string; cidr: string; first: string; last: string }[]> {
  const rows = await db.execute<{ id: string; cidr: string; first: string; last: string }>(sql`
    select s.id, s.cidr::text as cidr, host(network(s.cidr)) as first, host(broadcast(s.cidr)) as last from ${subnets} s
    where s.network_id = ${place.network_id} and s.cidr << ${place.cidr}::cidr
      and ${isSubnetInReach(sql.raw('s.id'), reach)}
      and host(network(s.cidr))::inet <= ${last}::inet and host(broadcast(s.cidr))::inet >= ${first}::inet
    order by masklen(s.cidr)`);
  return [...rows];
}
