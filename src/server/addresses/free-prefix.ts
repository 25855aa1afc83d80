import { firstPrefix } from '@/domain/ipam/free-space';
import { formatCidr } from '@/domain/net/cidr';
import { addressBits } from '@/domain/net/ip-address';
import type { Executor } from '../db/client';
import { AppError } from '../lib/errors';
import { refuseField } from '../lib/refusals';
import { listSetAside, listStoredIntervals, type SubnetRow } from './queries/ipam-space';
import { cidrOf } from './subnet-rules';

/**
 * The first block of this length inside a subnet that holds no narrower prefix, no range and no address. Two queries.
 * @throws AppError `refused` for a length that does not fit inside, `conflict` when nothing is free
 */
export async function freePrefix(executor: Executor, subnet: SubnetRow, length: number): Promise<string> {
  const cidr = cidrOf(subnet.cidr);
  const bits = addressBits(cidr.address.family);
  if (length <= cidr.prefix || length > bits)
    throw refuseField('prefix_length', `From ${cidr.prefix + 1} to ${bits}, because ${subnet.cidr} is around it.`);
  const taken = [...(await listSetAside(executor, subnet)), ...(await listStoredIntervals(executor, subnet))];
  const free = firstPrefix(cidr, length, taken);
  if (!free)
    throw new AppError('conflict', `${subnet.cidr} has no free block of length /${length}. Choose a longer one.`);
  return formatCidr(free);
}
