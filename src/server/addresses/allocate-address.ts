import type { AllocateAddressInput, IpAddress } from '@/domain/ipam/ip-address';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { AppError } from '../lib/errors';
import { notFound } from '../lib/refusals';
import { createAddressIn } from './create-address';
import { freeAddresses } from './free-addresses';
import { findSubnetRow, lockNetworks, lockSubnet } from './queries/ipam-space';

/**
 * Takes the next free address of a subnet. Whoever asks at the same time waits and gets another one.
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
    const [address] = await freeAddresses(tx, subnet, 1);
    if (address === undefined)
      throw new AppError('conflict', `${subnet.cidr} has no free address. Free some, or take another subnet.`);
    return createAddressIn(tx, scope, subnet, { ...input, address });
  });
}
