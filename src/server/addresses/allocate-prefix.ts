import type { AllocatePrefixInput, SubnetDetail } from '@/domain/ipam/subnet';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound } from '../lib/refusals';
import { createSubnetIn } from './create-subnet';
import { freePrefix } from './free-prefix';
import { findSubnetRow, lockNetworks, lockSubnet } from './queries/ipam-space';

/**
 * Takes the next free block of a subnet as a prefix inside it. Whoever asks at the same time waits and gets another one.
 * @throws AppError `not_found`, those of `freePrefix` and `createSubnetIn`
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
    return createSubnetIn(tx, scope, network, { ...input, cidr: await freePrefix(tx, subnet, prefix_length) });
  });
}
