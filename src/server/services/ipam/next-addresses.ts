import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findSubnetRow } from '../../repositories/ipam-space';
import { freeAddresses } from './free-addresses';
import { noSuch } from './ipam-errors';

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
  if (!subnet) throw noSuch.subnet();
  return { addresses: await freeAddresses(db, subnet, count) };
}
