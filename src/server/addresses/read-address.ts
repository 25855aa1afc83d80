import type { IpAddressDetail } from '@/domain/ipam/ip-address';
import type { Scope } from '../auth/scope';
import { notFound } from '../lib/refusals';
import { findIpAddressDetail } from './queries/ip-addresses';

/** @throws AppError `not_found` */
export async function readAddress(scope: Scope<'ipam:read'>, id: string): Promise<IpAddressDetail> {
  const address = await findIpAddressDetail(scope.reach, id);
  if (!address) throw notFound('address');
  return address;
}
