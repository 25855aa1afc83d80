import { firstAddresses, firstPrefix, freeParts, type Interval } from '@/domain/ipam/free-space';
import type { AllocateAddressInput, IpAddress } from '@/domain/ipam/ip-address';
import type { AllocatePrefixInput, SubnetDetail } from '@/domain/ipam/subnet';
import { usableBounds } from '@/domain/ipam/usage';
import { formatCidr } from '@/domain/net/cidr';
import { addressBits, formatIp, type IpAddress as Ip, parseIp } from '@/domain/net/ip-address';
import type { Scope } from '../auth/scope';
import { db, type Executor } from '../db/client';
import { AppError } from '../lib/errors';
import { notFound, refuseField } from '../lib/refusals';
import { createAddressIn } from './addresses';
import {
  findSubnetRow,
  listGaps,
  listReserved,
  listStoredIntervals,
  lockNetworks,
  lockSubnet,
  type SubnetRow,
} from './queries/ipam-space';
import { createSubnetIn, parseStoredCidr } from './subnets';

/** Gaps looked at in one query: nearly always enough. */
const GAPS_AT_ONCE = 256;

/**
 * The first addresses of a subnet that are neither stored nor reserved (gateway, ranges, narrower prefixes, network
 * and broadcast address), at most `count`. Three queries unless thousands of gaps are reserved.
 */
export async function listFreeAddresses(executor: Executor, subnet: SubnetRow, count: number): Promise<string[]> {
  const { first, last } = usableBounds(parseStoredCidr(subnet.cidr));
  const gateway = subnet.gateway === null ? null : parseIp(subnet.gateway);
  const aside: Interval[] = await listReserved(executor, subnet);
  if (gateway) aside.push({ first: gateway.value, last: gateway.value });
  const found: Ip[] = [];
  let from = first;
  while (found.length < count && from.value <= last.value) {
    const gaps = await listGaps(executor, subnet, from, last, GAPS_AT_ONCE);
    const end = gaps.at(-1);
    if (!end) break;
    const free = gaps.flatMap((gap) => freeParts(gap, aside));
    found.push(...firstAddresses(free, first.family, count - found.length));
    from = { family: first.family, value: end.last + 1n };
  }
  return found.map(formatIp);
}

/**
 * Assigns the next free address of a subnet. Concurrent callers wait and get different addresses.
 * @throws AppError `not_found`; `conflict` when none is free; `refused` for a wrong assignment
 */
export function allocateAddress(
  scope: Scope<'ipam:write'>,
  subnetId: string,
  input: AllocateAddressInput,
): Promise<IpAddress> {
  return db.transaction(async (tx) => {
    const found = await findSubnetRow(tx, subnetId);
    if (!found) throw notFound('subnet');
    await lockNetworks(tx, [found.network_id], 'content');
    const subnet = await lockSubnet(tx, subnetId);
    if (!subnet) throw notFound('subnet');
    const [address] = await listFreeAddresses(tx, subnet, 1);
    if (address === undefined)
      throw new AppError(
        'conflict',
        `${subnet.cidr} has no free address. Release an address, or choose another prefix.`,
      );
    return createAddressIn(tx, scope, subnet, { ...input, address });
  });
}

/**
 * The first block of this length inside a subnet that holds no narrower prefix, no range and no address. Two queries.
 * @throws AppError `refused` for a length that does not fit inside, `conflict` when nothing is free
 */
export async function findFreePrefix(executor: Executor, subnet: SubnetRow, length: number): Promise<string> {
  const cidr = parseStoredCidr(subnet.cidr);
  const bits = addressBits(cidr.address.family);
  if (length <= cidr.prefix || length > bits)
    throw refuseField(
      'prefix_length',
      `From ${cidr.prefix + 1} to ${bits}, because the block is inside ${subnet.cidr}.`,
    );
  const taken = [...(await listReserved(executor, subnet)), ...(await listStoredIntervals(executor, subnet))];
  const free = firstPrefix(cidr, length, taken);
  if (!free)
    throw new AppError(
      'conflict',
      `${subnet.cidr} has no free block of length /${length}. Choose a longer prefix length.`,
    );
  return formatCidr(free);
}

/**
 * Creates a prefix from the next free block of a subnet. Concurrent callers wait and get different blocks.
 * @throws AppError `not_found`, those of `findFreePrefix` and `createSubnetIn`
 */
export function allocatePrefix(
  scope: Scope<'ipam:write'>,
  subnetId: string,
  { prefix_length, ...input }: AllocatePrefixInput,
): Promise<SubnetDetail> {
  return db.transaction(async (tx) => {
    const found = await findSubnetRow(tx, subnetId);
    const [network] = found ? await lockNetworks(tx, [found.network_id], 'layout') : [];
    const subnet = await lockSubnet(tx, subnetId);
    if (!network || !subnet) throw notFound('subnet');
    return createSubnetIn(tx, scope, network, { ...input, cidr: await findFreePrefix(tx, subnet, prefix_length) });
  });
}

/**
 * The first free addresses of a subnet, without taking them.
 * @throws AppError `not_found`
 */
export async function nextAddresses(
  _scope: Scope<'ipam:write'>,
  subnetId: string,
  count: number,
): Promise<{ addresses: string[] }> {
  const subnet = await findSubnetRow(db, subnetId);
  if (!subnet) throw notFound('subnet');
  return { addresses: await listFreeAddresses(db, subnet, count) };
}

/**
 * The first free block of a length inside a subnet, without taking it.
 * @throws AppError `not_found`, and those of `findFreePrefix`
 */
export async function nextPrefix(
  _scope: Scope<'ipam:write'>,
  subnetId: string,
  length: number,
): Promise<{ cidr: string }> {
  const subnet = await findSubnetRow(db, subnetId);
  if (!subnet) throw notFound('subnet');
  return { cidr: await findFreePrefix(db, subnet, length) };
}
