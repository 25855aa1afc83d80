import type { Subnet, SubnetListInput } from '@/domain/ipam/subnet';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import * as repository from './queries/subnets';

/** One page of the subnets in which workloads within reach have addresses; of all subnets with reach `all`. */
export function listSubnets(scope: Scope<'ipam:read'>, input: SubnetListInput): Promise<Page<Subnet>> {
  return repository.listSubnets(scope.reach, input);
}
