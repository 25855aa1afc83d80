import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound } from '../lib/refusals';
import { freeAddresses } from './free-addresses';
import { findSubnetRow } from './queries/ipam-space';

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
  return { addresses: await freeAddresses(db, subnet, count) };
}
