import type { AddressListInput, IpAddress } from '@/domain/ipam/ip-address';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import { listIpAddresses } from './queries/ip-addresses';

/** One page of the addresses of workloads within reach; of all addresses with reach `all`. */
export function listAddresses(scope: Scope<'ipam:read'>, input: AddressListInput): Promise<Page<IpAddress>> {
  return listIpAddresses(scope.reach, input);
}
