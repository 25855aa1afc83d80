import type { IpRange, RangeListInput } from '@/domain/ipam/ip-range';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import { listIpRanges } from './queries/ip-ranges';

/** One page of the ranges in subnets within reach. */
export function listRanges(scope: Scope<'ipam:read'>, input: RangeListInput): Promise<Page<IpRange>> {
  return listIpRanges(scope.reach, input);
}
