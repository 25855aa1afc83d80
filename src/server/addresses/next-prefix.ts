import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound } from '../lib/refusals';
import { freePrefix } from './free-prefix';
import { findSubnetRow } from './queries/ipam-space';

/**
 * The first free block of a length inside a subnet, without taking it.
 * @throws AppError `not_found`, and those of `freePrefix`
 */
export async function nextPrefix(
  _scope: Scope<'ipam:write'>,
  subnetId: string,
  length: number,
): Promise<{ cidr: string }> {
  const subnet = await findSubnetRow(db, subnetId);
  if (!subnet) throw notFound('subnet');
  return { cidr: await freePrefix(db, subnet, length) };
}
