import type { Network, NetworkListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import * as repository from './queries/networks';

/** One page of the networks to which workloads within reach are attached; of all networks with reach `all`. */
export function listNetworks(scope: Scope<'ipam:read'>, input: NetworkListInput): Promise<Page<Network>> {
  return repository.listNetworks(scope.reach, input);
}
