import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Interval } from '@/domain/ipam/free-space';
import { cidrBounds, parseCidr } from '@/domain/net/cidr';
import { formatIp, type IpAddress, parseIp } from '@/domain/net/ip-address';
import type { Executor, Tx } from '../../db/client';
import { ipAddresses } from '../../db/schema/addresses';
import { ipRanges } from '../../db/schema/ipam';
import { networks, subnets } from '../../db/schema/networks';

/** The last address of a network, as a host address. Together with the network itself it bounds an index range. */
const lastAddress = (cidr: SQLWrapper): SQL =>
  sql`set_masklen(broadcast(${cidr}), case family(${cidr}) when 4 then 32 else 128 end)`;

/**
 * Whether `value` (address or network) is in `cidr` or equals it. Same as `<<=`, but in a form that uses a btree index also
 * when the network is not a constant: in the order of inet a network comes right before what is in it.
 */
export const isInCidr = (value: SQLWrapper, cidr: SQLWrapper): SQL =>
  sql`(${value} >= ${cidr} and ${value} <= ${lastAddress(cidr)})`;

export type NetworkRow = typeof networks.$inferSelect;
export type SubnetRow = Omit<typeof subnets.$inferSelect, 'gateway'> & { gateway: string | null };

/**
 * Locks networks against changes of their prefixes. `layout` is for callers that change prefixes or many addresses,
 * `content` for callers that change single addresses: the latter do not wait for each other.
 */
export async function lockNetworks(tx: Tx, ids: readonly string[], mode: 'layout' | 'content'): Promise<NetworkRow[]> {
  return tx
    .select()
    .from(networks)
    .where(inArray(networks.id, [...ids]))
    .orderBy(networks.id)
    .for(mode === 'layout' ? 'no key update' : 'share');
}

/** All networks of a cluster, locked against changes of their prefixes and addresses. */
export async function lockClusterNetworks(tx: Tx, clusterId: string): Promise<NetworkRow[]> {
  return tx.select().from(networks).where(eq(networks.cluster_id, clusterId)).orderBy(networks.id).for('no key update');
}

export async function findSubnetRow(executor: Executor, id: string): Promise<SubnetRow | null> {
  const [row] = await executor.select().from(subnets).where(eq(subnets.id, id));
  return row ?? null;
}

/** The subnet, locked: others who want an address of it wait. */
export async function lockSubnet(tx: Tx, id: string): Promise<SubnetRow | null> {
  const [row] = await tx.select().from(subnets).where(eq(subnets.id, id)).for('no key update');
  return row ?? null;
}

/** The longest prefix of the network that holds the address, or null. */
export async function matchSubnet(executor: Executor, networkId: string, address: string): Promise<SubnetRow | null> {
  const [row] = await executor
    .select()
    .from(subnets)
    .where(and(eq(subnets.network_id, networkId), sql`${subnets.cidr} >>= ${address}::inet`))
    .orderBy(sql`masklen(${subnets.cidr}) desc`)
    .limit(1);
  return row ?? null;
}

type Place = { network_id: string; cidr: string };
const toInterval = (row: { first: string; last: string }): Interval => {
  const [first, last] = [parseIp(row.first), parseIp(row.last)];
  if (!first || !last) throw new Error(`expected an address range, not ${row.first} to ${row.last}`);
  return { first: first.value, last: last.value };
};

/** What is reserved inside the prefix: narrower prefixes and ranges. One query. */
export async function listReserved(executor: Executor, place: Place, ranges = true): Promise<Interval[]> {
  const rows = await executor.execute<{ first: string; last: string }>(sql`
    select host(network(s.cidr)) as first, host(broadcast(s.cidr)) as last from ${subnets} s
      where s.network_id = ${place.network_id} and s.cidr << ${place.cidr}::cidr
    ${
      ranges
        ? sql`union all select host(r.first_address), host(r.last_address) from ${ipRanges} r
      where r.network_id = ${place.network_id} and r.first_address <= ${lastAddress(sql`${place.cidr}::cidr`)}
        and r.last_address >= ${place.cidr}::inet`
        : sql``
    }`);
  return [...rows].map(toInterval);
}

/** Gaps between stored addresses, of `from` to `last`, at most `limit` of them in order. Two queries. */
export async function listGaps(
  executor: Executor,
  place: { cluster_id: string; network_id: string },
  from: IpAddress,
  last: IpAddress,
  limit: number,
): Promise<Interval[]> {
  const bounds = sql`${ipAddresses.cluster_id} = ${place.cluster_id} and ${ipAddresses.network_id} = ${place.network_id}
    and ${ipAddresses.address} between ${formatIp(from)}::inet and ${formatIp(last)}::inet`;
  const [start, rows] = await Promise.all([
    executor.execute<{ address: string }>(
      sql`select host(address) as address from ${ipAddresses} where ${bounds} order by ${ipAddresses.address} limit 1`,
    ),
    executor.execute<{ before: string; after: string | null }>(sql`
      select host(address) as before, host(following) as after
      from (select ${ipAddresses.address} as address, lead(${ipAddresses.address}) over (order by ${ipAddresses.address}) as following
        from ${ipAddresses} where ${bounds}) as pairs
      where following is null or following > address + 1 order by address limit ${limit}`),
  ]);
  const value = (text: string) => {
    const ip = parseIp(text);
    if (!ip) throw new Error(`expected a stored address, not ${text}`);
    return ip.value;
  };
  const first = start[0];
  if (!first) return [{ first: from.value, last: last.value }];
  const gaps = value(first.address) > from.value ? [{ first: from.value, last: value(first.address) - 1n }] : [];
  for (const { before, after } of rows) {
    const gap = { first: value(before) + 1n, last: after === null ? last.value : value(after) - 1n };
    if (gap.first <= gap.last) gaps.push(gap);
  }
  return gaps;
}

/** Every address stored inside the prefix, as intervals of adjacent addresses. One query. */
export async function listStoredIntervals(
  executor: Executor,
  place: { cluster_id: string; network_id: string; cidr: string },
): Promise<Interval[]> {
  const cidr = parseCidr(place.cidr);
  if (!cidr) throw new Error(`expected a prefix, not ${place.cidr}`);
  const { first, last } = cidrBounds(cidr);
  const rows = await executor.execute<{ first: string; last: string }>(sql`
    select host(min(address)) as first, host(max(address)) as last from (
      select address, sum(starts) over (order by address) as island from (
        select ${ipAddresses.address} as address, case when lag(${ipAddresses.address}) over (order by ${ipAddresses.address}) + 1
          = ${ipAddresses.address} then 0 else 1 end as starts
        from ${ipAddresses} where ${ipAddresses.cluster_id} = ${place.cluster_id} and ${ipAddresses.network_id} = ${place.network_id}
          and ${ipAddresses.address} between ${formatIp(first)}::inet and ${formatIp(last)}::inet) as steps) as islands
    group by island order by min(address)`);
  return [...rows].map(toInterval);
}

/**
 * Moves every address of the network inside `area` into the longest prefix that contains it.
 * @returns how many moved, and how many are no longer in any prefix (those stay where they are)
 */
export async function rehomeAddresses(
  tx: Tx,
  networkId: string,
  areas: readonly string[],
): Promise<{ moved: number; homeless: number }> {
  const inside: SQL[] = areas.map((area) => isInCidr(sql`a.address`, sql`${area}::cidr`));
  const rows = await tx.execute<{ moved: number; homeless: number }>(sql`
    with homes as materialized (
        select a.id, a.subnet_id, (select s.id from ${subnets} s where s.network_id = ${networkId} and s.cidr >>= a.address
          order by masklen(s.cidr) desc limit 1) as home
        from ${ipAddresses} a where a.network_id = ${networkId} and (${sql.join(inside, sql` or `)})),
      moved as (
        update ${ipAddresses} as a set subnet_id = h.home, updated_at = now() from homes h
        where a.id = h.id and h.home is not null and h.home <> h.subnet_id returning 1)
    select (select count(*)::int from moved) as moved, (select count(*)::int from homes where home is null) as homeless`);
  return rows[0] ?? { moved: 0, homeless: 0 };
}
