import type { SubnetDetail } from '@/domain/ipam/subnet';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findSubnet } from '../../repositories/subnets';
import { noSuch } from './ipam-errors';

/** @throws AppError `not_found` */
export async function readSubnet(scope: Scope<'ipam:read'>, id: string): Promise<SubnetDetail> {
  const subnet = await findSubnet(db, scope.reach, id);
  if (!subnet) throw noSuch.subnet();
  return subnet;
}
