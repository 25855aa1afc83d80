import type { SubnetGrid, SubnetGridInput } from '@/domain/ipam/subnet';
import { cidrBounds, cidrContains } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound, refuseField } from '../lib/refusals';
import { listRangesIn } from './queries/ip-ranges';
import { findSubnet, listAddressesBetween, listPrefixesBetween } from './queries/subnets';
import { parseStoredCidr } from './subnets';

type Cell = SubnetGrid['cells'][number];
const maxBigInt = (a: bigint, b: bigint) => (a > b ? a : b);

/**
 * A part of a subnet's addresses with everything known about each; free ones are omitted. Always five queries.
 * @throws AppError `not_found`, `refused` for a first address outside the subnet
 */
export async function readSubnetGrid(
  scope: Scope<'ipam:read'>,
  { id, from, limit }: SubnetGridInput,
): Promise<SubnetGrid> {
  const subnet = await findSubnet(db, scope.reach, id);
  if (!subnet) throw notFound('subnet');
  const cidr = parseStoredCidr(subnet.cidr);
  const bounds = cidrBounds(cidr);
  const { family } = bounds.first;
  const desired = from === undefined ? bounds.first : parseIp(from);
  if (!desired || !cidrContains(cidr, desired)) throw refuseField('from', `Choose an address in ${subnet.cidr}.`);
  const start = desired.value;
  const lastOfPart = start + BigInt(limit) - 1n;
  const end = lastOfPart < bounds.last.value ? lastOfPart : bounds.last.value;
  const text = (value: bigint) => formatIp({ family, value });
  const [first, last] = [text(start), text(end)];
  const [addresses, ranges, prefixes] = await Promise.all([
    listAddressesBetween(scope.reach, subnet, first, last),
    listRangesIn(db, subnet.network_id, first, last),
    listPrefixesBetween(scope.reach, subnet, first, last),
  ]);

  const cells = new Map<bigint, Cell>();
  const put = (value: bigint, cell: Omit<Cell, 'address'>) => cells.set(value, { address: text(value), ...cell });
  const unassigned = { ip_address_id: null, label: null, workload_id: null, subnet_id: null };
  const fill = (fromText: string, toText: string, cell: Omit<Cell, 'address'>) => {
    const [a, b] = [parseIp(fromText), parseIp(toText)];
    if (!a || !b) return;
    for (let value = maxBigInt(a.value, start); value <= b.value && value <= end; value += 1n) put(value, cell);
  };
  // What is known more exactly comes later and covers the rest.
  for (const range of ranges)
    fill(range.first, range.last, { ...unassigned, state: `${range.kind}_range`, label: range.description || null });
  for (const prefix of prefixes)
    fill(prefix.first, prefix.last, { ...unassigned, state: 'child', label: prefix.cidr, subnet_id: prefix.id });
  const edges = family === 4 && cidr.prefix < 31;
  if (edges && start === bounds.first.value) put(start, { ...unassigned, state: 'network' });
  if (edges && end === bounds.last.value) put(end, { ...unassigned, state: 'broadcast' });
  const gateway = subnet.gateway === null ? null : parseIp(subnet.gateway);
  if (gateway && gateway.value >= start && gateway.value <= end)
    put(gateway.value, { ...unassigned, state: 'gateway' });
  for (const row of addresses) {
    const ip = parseIp(row.address);
    if (ip)
      put(ip.value, {
        state: row.state,
        ip_address_id: row.id,
        label: row.workload_name ?? row.hostname ?? (row.description || null),
        workload_id: row.workload_id,
        subnet_id: row.subnet_id === subnet.id ? null : row.subnet_id,
      });
  }
  const before = start - BigInt(limit);
  return {
    cidr: subnet.cidr,
    first,
    last,
    previous: start === bounds.first.value ? null : text(maxBigInt(before, bounds.first.value)),
    next: end === bounds.last.value ? null : text(end + 1n),
    cells: [...cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cell]) => cell),
  };
}
