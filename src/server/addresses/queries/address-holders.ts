import { and, desc, eq, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import { HOLDING_SORTS } from '@/domain/choices';
import { AddressHolder, type AddressHolderListInput, AddressHolding } from '@/domain/ipam/ip-address';
import type { Page } from '@/domain/list';
import { parseCidr } from '@/domain/net/cidr';
import { ADDRESS_PART } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { ipAddressHistory } from '../../db/schema/ipam';
import { workloadOwners } from '../../db/schema/moves';
import { networks } from '../../db/schema/networks';
import { workloads } from '../../db/schema/workloads';
import { addressInReach } from '../../inventory/queries/ipam-reach';
import { tenantInReach } from '../../tenancy/queries/tenant-reach';

/**
 * How a reader sees the history of addresses: joined with the owners of the holders, clipped to the time of owners that the reader may
 * see. Filters, sorting and search use what is shown, so that none of them reveals a time or a name of another tenant.
 */
function buildHistoryView(reach: Reach) {
  const { from_at, until_at } = ipAddressHistory;
  // Ends of the time of an owner; `greatest` and `least` leave out what is null.
  const during = and(
    eq(workloadOwners.workload_id, ipAddressHistory.workload_id),
    reach === 'all' ? sql`false` : tenantInReach(workloadOwners.tenant_id, getReachableTenants(reach)),
    sql`(${workloadOwners.from_at} is null or ${until_at} is null or ${until_at} > ${workloadOwners.from_at})`,
    sql`(${workloadOwners.to_at} is null or ${from_at} < ${workloadOwners.to_at})`,
  );
  // Those who reach the holder by its project: since it came to it.
  const single = getReachableProjects(reach);
  const ofProject = single.length === 0 ? undefined : inArray(workloads.project_id, [...single]);
  const here =
    ofProject &&
    sql`(${ofProject} and (${workloads.project_since} is null or ${until_at} is null or ${until_at} > ${workloads.project_since}))`;
  const since = ofProject ? sql`, case when ${ofProject} then ${workloads.project_since} end` : sql``;
  return {
    during,
    inReach: reach === 'all' ? undefined : or(isNotNull(workloadOwners.id), here),
    name: sql<string>`coalesce(${workloadOwners.workload_name}, ${workloads.name}, ${ipAddressHistory.workload_name})`,
    // In milliseconds, as it is shown: a cursor continues after exactly this time.
    from: sql<string>`date_trunc('milliseconds', greatest(${from_at}, ${workloadOwners.from_at}${since}))`.mapWith(
      from_at,
    ),
    until: sql<string | null>`least(${until_at}, ${workloadOwners.to_at})`.mapWith(until_at),
    // A holder that went and came back is in several rows; the one of its last owner has the id of the record. Version and variant make a UUID.
    id: sql<string>`case when ${workloadOwners.to_at} is null then ${ipAddressHistory.id}
      else overlay(overlay(md5(${ipAddressHistory.id}::text || ' ' || ${workloadOwners.id}::text)
        placing '8' from 13) placing '8' from 17)::uuid end`,
  };
}

const MAX_HISTORY = 100;

/** Who held an address, newest first: holders that the reader may see, and only the time in which they were visible. */
export async function listHolders(
  reach: Reach,
  place: { network_id: string; address: string },
): Promise<AddressHolder[]> {
  const view = buildHistoryView(reach);
  return db
    .select(
      selectColumns(AddressHolder, ipAddressHistory, {
        id: view.id,
        workload_name: view.name,
        from_at: view.from,
        until_at: view.until,
      }),
    )
    .from(ipAddressHistory)
    .leftJoin(workloads, eq(workloads.id, ipAddressHistory.workload_id))
    .leftJoin(workloadOwners, view.during)
    .where(
      and(
        eq(ipAddressHistory.network_id, place.network_id),
        sql`${ipAddressHistory.address} = ${place.address}::inet`,
        view.inReach,
      ),
    )
    .orderBy(desc(ipAddressHistory.from_at), desc(sql`${ipAddressHistory.until_at} is null`), desc(ipAddressHistory.id))
    .limit(MAX_HISTORY);
}

/** An address or its beginning, a prefix, a MAC address, or a part of the name of the holder. */
function searchCondition(text: string, name: SQL): SQL | undefined {
  const mac = normalizeMac(text);
  if (mac) return sql`${ipAddressHistory.mac} = ${mac.toLowerCase()}::macaddr`;
  if (text.includes('/') && parseCidr(text)) return sql`${ipAddressHistory.address} <<= ${text}::inet`;
  if (ADDRESS_PART.test(text)) return sql`host(${ipAddressHistory.address}) like ${`${text.toLowerCase()}%`}`;
  const { workload_external_id, interface_name, network_id } = ipAddressHistory;
  return hasText(
    name,
    workload_external_id,
    interface_name,
    hasName(network_id, networks),
    hasName(ipAddressHistory.cluster_id, clusters),
  )(text);
}

/** Who held addresses, page by page, the latest first. Two queries. */
export function listAddressHolders(reach: Reach, input: AddressHolderListInput): Promise<Page<AddressHolding>> {
  const view = buildHistoryView(reach);
  const columns = selectColumns(AddressHolding, ipAddressHistory, {
    id: view.id,
    workload_name: view.name,
    from_at: view.from,
    until_at: view.until,
    cluster_name: clusters.name,
    network_name: networks.name,
    address: sql<string>`host(${ipAddressHistory.address})`.as('address'),
    ip_address_id: ipAddresses.id,
  });
  const conditions = and(
    view.inReach,
    ...buildConditions(input, ipAddressHistory, {
      q: (text) => searchCondition(text, view.name),
      within: (place) => sql`${ipAddressHistory.address} <<= ${place}::inet`,
      since: (time) => sql`(${view.until} is null or ${view.until} > ${time}::timestamptz)`,
      until: (time) => sql`${view.from} <= ${time}::timestamptz`,
    }),
  );
  const joined = () =>
    db
      .select(columns)
      .from(ipAddressHistory)
      .innerJoin(clusters, eq(clusters.id, ipAddressHistory.cluster_id))
      .innerJoin(networks, eq(networks.id, ipAddressHistory.network_id))
      .leftJoin(workloads, eq(workloads.id, ipAddressHistory.workload_id))
      .leftJoin(workloadOwners, view.during)
      .leftJoin(
        ipAddresses,
        and(
          eq(ipAddresses.network_id, ipAddressHistory.network_id),
          eq(ipAddresses.address, ipAddressHistory.address),
          addressInReach(reach),
        ),
      )
      .$dynamic();
  const sorts = buildSortKeys(AddressHolding, HOLDING_SORTS, { ...columns, address: ipAddressHistory.address });
  return queryPage<AddressHolding>(input, { sorts, sort: '-from_at', id: view.id }, (paging) => ({
    rows: joined()
      .where(and(conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(joined().where(conditions).as('held')),
  }));
}
