import { and, eq, type SQL, sql } from 'drizzle-orm';
import { IpRange, RANGE_SORTS, type RangeListInput } from '@/domain/ipam/ip-range';
import type { Page } from '@/domain/list';
import { parseIp } from '@/domain/net/ip-address';
import type { Reach } from '@/domain/permissions';
import { db, type Executor } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { ipRanges } from '../../db/schema/ipam';
import { subnets } from '../../db/schema/networks';
import { subnetInReach } from '../../inventory/queries/ipam-reach';

const StoredRange = IpRange.omit({ size: true });
type Row = Omit<IpRange, 'size'>;

const columns = selectColumns(StoredRange, ipRanges, {
  subnet_cidr: subnets.cidr,
  first_address: sql<string>`host(${ipRanges.first_address})`.as('first_address'),
  last_address: sql<string>`host(${ipRanges.last_address})`.as('last_address'),
});
const SORTS = buildSortKeys(StoredRange, RANGE_SORTS, { ...columns, first_address: ipRanges.first_address });

const withSize = (row: Row): IpRange => {
  const [first, last] = [parseIp(row.first_address), parseIp(row.last_address)];
  return { ...row, size: first && last ? (last.value - first.value + 1n).toString() : '0' };
};

const select = (executor: Executor) =>
  executor.select(columns).from(ipRanges).innerJoin(subnets, eq(subnets.id, ipRanges.subnet_id)).$dynamic();

/** Whether the range's subnet is visible, for a WHERE over `ip_ranges` alone. */
function rangeInReach(tenants: Reach): SQL | undefined {
  const reach = subnetInReach(tenants);
  return reach && sql`exists (select 1 from ${subnets} where ${eq(subnets.id, ipRanges.subnet_id)} and ${reach})`;
}

/** Visible ranges, page by page. Two queries. */
export async function listIpRanges(tenants: Reach, input: RangeListInput): Promise<Page<IpRange>> {
  const conditions = [
    rangeInReach(tenants),
    ...buildConditions(input, ipRanges, {
      q: hasText(
        ipRanges.description,
        sql`host(${ipRanges.first_address})`,
        sql`host(${ipRanges.last_address})`,
        sql`(select s.cidr::text from ${subnets} s where s.id = ${ipRanges.subnet_id})`,
      ),
    }),
  ];
  const page = await queryPage<Row>(input, { sorts: SORTS, sort: 'first_address', id: ipRanges.id }, (paging) => ({
    rows: select(db)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(ipRanges, and(...conditions)),
  }));
  return { ...page, items: page.items.map(withSize) };
}

/** One visible range, or null. */
export async function findIpRange(executor: Executor, tenants: Reach, id: string): Promise<IpRange | null> {
  const [row] = await select(executor).where(and(eq(ipRanges.id, id), rangeInReach(tenants)));
  return row ? withSize(row) : null;
}

/** Ranges that share an address with a part of a network, in order. */
export async function listRangesIn(
  executor: Executor,
  networkId: string,
  first: string,
  last: string,
): Promise<{ id: string; kind: IpRange['kind']; first: string; last: string; description: string }[]> {
  return executor
    .select({
      id: ipRanges.id,
      kind: ipRanges.kind,
      first: sql<string>`host(${ipRanges.first_address})`,
      last: sql<string>`host(${ipRanges.last_address})`,
      description: ipRanges.description,
    })
    .from(ipRanges)
    .where(
      and(
        eq(ipRanges.network_id, networkId),
        sql`${ipRanges.first_address} <= ${last}::inet and ${ipRanges.last_address} >= ${first}::inet`,
      ),
    )
    .orderBy(ipRanges.first_address);
}
