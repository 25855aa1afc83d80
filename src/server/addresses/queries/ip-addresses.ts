import { and, eq, ilike, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { ADDRESS_SORTS } from '@/domain/choices';
import { type AddressListInput, IpAddress, type IpAddressDetail } from '@/domain/ipam/ip-address';
import type { Page } from '@/domain/list';
import { parseCidr } from '@/domain/net/cidr';
import { ADDRESS_PART } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import type { Reach } from '@/domain/permissions';
import { db, type Executor } from '../../db/client';
import {
  buildConditions,
  buildSortKeys,
  hasName,
  isSet,
  likePattern,
  selectColumns,
  skipCondition,
} from '../../db/declared-fields';
import { keyOrder } from '../../db/natural-order';
import { queryPage } from '../../db/query-page';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { ipamConflicts } from '../../db/schema/ipam';
import { networks, subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { addressInReach, subnetInReach } from '../../inventory/queries/ipam-reach';
import { listHolders } from './address-holders';
import { findObservedAt, findSightings, matchAddressAt } from './sightings';

/** A search text: an address or its beginning, a CIDR, a MAC address, or a part of a name or description. */
function searchCondition(text: string): SQL | undefined {
  const mac = normalizeMac(text);
  if (mac) return sql`${ipAddresses.mac} = ${mac.toLowerCase()}::macaddr`;
  const cidr = text.includes('/') ? parseCidr(text) : null;
  if (cidr) return sql`${ipAddresses.address} <<= ${text}::inet`;
  if (ADDRESS_PART.test(text)) return sql`host(${ipAddresses.address}) like ${`${text.toLowerCase()}%`}`;
  const pattern = likePattern(text);
  return or(
    ilike(ipAddresses.hostname, pattern),
    ilike(ipAddresses.description, pattern),
    hasName(ipAddresses.cluster_id, clusters)(text),
    hasName(ipAddresses.network_id, networks)(text),
    hasName(ipAddresses.interface_id, workloadInterfaces)(text),
    sql`${ipAddresses.workload_id} in (select w.id from ${workloads} w where w.name ilike ${pattern} or w.external_id ilike ${pattern})`,
  );
}

/** The conditions of a list's filters, over `ip_addresses` alone. */
export function addressFilters(input: Omit<AddressListInput, 'limit' | 'cursor' | 'sort'>): (SQL | undefined)[] {
  const inside = (id: string) => sql`(select s.id from ${subnets} s join ${subnets} p on p.id = ${id}
    where s.network_id = p.network_id and s.cidr <<= p.cidr)`;
  return buildConditions(input, ipAddresses, {
    q: searchCondition,
    subnet_id: (id) => (input.nested ? sql`${ipAddresses.subnet_id} in ${inside(id)}` : eq(ipAddresses.subnet_id, id)),
    // Says which addresses `subnet_id` means.
    nested: skipCondition,
    family: (family) => sql`family(${ipAddresses.address}) = ${family}`,
    within: (cidr) => sql`${ipAddresses.address} <<= ${cidr}::inet`,
    assigned: isSet(ipAddresses.workload_id),
  });
}

/** An address with the name of its workload, by which the list can be sorted. */
const SortedAddress = IpAddress.extend({ workload_name: z.string().nullable() });
type Row = z.output<typeof SortedAddress>;

const columns = selectColumns(SortedAddress, ipAddresses, {
  cluster_name: clusters.name,
  network_name: networks.name,
  subnet_cidr: subnets.cidr,
  address: sql<string>`host(${ipAddresses.address})`.as('address'),
  workload: sql<
    IpAddress['workload']
  >`case when ${workloads.id} is null then null else json_build_object('id', ${workloads.id},
    'name', ${workloads.name}, 'vmid', ${workloads.vmid}, 'kind', ${workloads.kind}, 'external_id', ${workloads.external_id},
    'status', ${workloads.status}, 'project_id', ${workloads.project_id}) end`,
  interface_name: workloadInterfaces.name,
  workload_name: workloads.name,
});
const SORTS = {
  ...buildSortKeys(SortedAddress, ADDRESS_SORTS, { ...columns, address: ipAddresses.address }),
  cluster_name: keyOrder(clusters.sort_name, 'cluster_name'),
  workload_name: keyOrder(workloads.sort_name, 'workload_name', true),
};

const select = (executor: Executor) =>
  executor
    .select(columns)
    .from(ipAddresses)
    .innerJoin(clusters, eq(clusters.id, ipAddresses.cluster_id))
    .innerJoin(networks, eq(networks.id, ipAddresses.network_id))
    .innerJoin(subnets, eq(subnets.id, ipAddresses.subnet_id))
    .leftJoin(workloads, eq(workloads.id, ipAddresses.workload_id))
    .leftJoin(workloadInterfaces, eq(workloadInterfaces.id, ipAddresses.interface_id))
    .$dynamic();

const withoutName = ({ workload_name: _, ...row }: Row): IpAddress => row;

/** Visible addresses, page by page. Two queries. */
export async function listIpAddresses(tenants: Reach, input: AddressListInput): Promise<Page<IpAddress>> {
  const conditions = [addressInReach(tenants), ...addressFilters(input)];
  const page = await queryPage<Row>(input, { sorts: SORTS, sort: 'address', id: ipAddresses.id }, (paging) => ({
    rows: select(db)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(ipAddresses, and(...conditions)),
  }));
  return { ...page, items: page.items.map(withoutName) };
}

/** The first visible addresses that meet the condition, in order. One query. */
export async function findIpAddresses(tenants: Reach, condition: SQL | undefined, limit: number): Promise<IpAddress[]> {
  const rows = await select(db)
    .where(and(condition, addressInReach(tenants)))
    .orderBy(ipAddresses.address, ipAddresses.id)
    .limit(limit);
  return rows.map(withoutName);
}

/** One visible address, or null. One query. */
export async function findIpAddress(executor: Executor, tenants: Reach, id: string): Promise<IpAddress | null> {
  const [row] = await select(executor).where(and(eq(ipAddresses.id, id), addressInReach(tenants)));
  return row ? withoutName(row) : null;
}

const MAX_SIGHTINGS = 100;

/** One visible address with its history, its containing prefixes and its open conflicts, or null. Six queries. */
export async function findIpAddressDetail(tenants: Reach, id: string): Promise<IpAddressDetail | null> {
  const address = await findIpAddress(db, tenants, id);
  if (!address) return null;
  const [history, around, conflicts, sightings, observed_at] = await Promise.all([
    listHolders(tenants, address),
    db
      .select({ id: subnets.id, cidr: subnets.cidr })
      .from(subnets)
      .where(
        and(
          eq(subnets.network_id, address.network_id),
          sql`${subnets.cidr} >>= ${address.address}::inet`,
          subnetInReach(tenants),
        ),
      )
      .orderBy(sql`masklen(${subnets.cidr})`),
    db
      .select({ id: ipamConflicts.id })
      .from(ipamConflicts)
      .where(and(eq(ipamConflicts.ip_address_id, id), eq(ipamConflicts.status, 'open')))
      .orderBy(ipamConflicts.id),
    findSightings(tenants, matchAddressAt(address), MAX_SIGHTINGS),
    findObservedAt(tenants, address.workload_id),
  ]);
  return {
    ...address,
    history,
    subnets: around,
    conflict_ids: conflicts.map((row) => row.id),
    sightings,
    observed_at,
  };
}
