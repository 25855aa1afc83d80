import type { SubnetDetail } from '@/domain/ipam/subnet';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound } from '../lib/refusals';
import { findSubnet } from './queries/subnets';

/** @throws AppError `not_found` */
export async function readSubnet(scope: Scope<'ipam:read'>, id: string): Promise<SubnetDetail> {
  const subnet = await findSubnet(db, scope.reach, id);
  if (!subnet) throw notFound('subnet');
  return subnet;
}
