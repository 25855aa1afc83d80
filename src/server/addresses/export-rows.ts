import type { AddressListInput } from '@/domain/ipam/ip-address';
import type { SubnetListInput } from '@/domain/ipam/subnet';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import { listAddresses } from './list-addresses';
import { listSubnets } from './list-subnets';

/** Columns of the file; those that the import knows come first, the others are for people. */
export const SUBNET_CSV = [
  'cluster',
  'network',
  'cidr',
  'gateway',
  'dns_servers',
  'dhcp_enabled',
  'vlan_tag',
  'description',
  'id',
  'source',
  'used',
  'capacity',
] as const;
export const ADDRESS_CSV = [
  'cluster',
  'network',
  'address',
  'state',
  'hostname',
  'mac',
  'description',
  'workload',
  'id',
  'subnet',
  'workload_name',
  'source',
  'last_seen_at',
] as const;

type Row<C extends readonly string[]> = Record<C[number], unknown>;

/** One page of subnets as rows of the file. */
export async function exportSubnets(
  scope: Scope<'ipam:read'>,
  input: SubnetListInput,
): Promise<Page<Row<typeof SUBNET_CSV>>> {
  const page = await listSubnets(scope, input);
  const items = page.items.map((row) => ({
    ...row,
    cluster: row.cluster_name,
    network: row.network_name,
    used: row.usage.used,
    capacity: row.usage.capacity,
  }));
  return { ...page, items };
}

/** One page of addresses as rows of the file. */
export async function exportAddresses(
  scope: Scope<'ipam:read'>,
  input: AddressListInput,
): Promise<Page<Row<typeof ADDRESS_CSV>>> {
  const page = await listAddresses(scope, input);
  const items = page.items.map((row) => ({
    ...row,
    cluster: row.cluster_name,
    network: row.network_name,
    subnet: row.subnet_cidr,
    workload: row.workload?.external_id ?? null,
    workload_name: row.workload?.name ?? null,
  }));
  return { ...page, items };
}
