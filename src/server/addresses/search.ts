import type { AddressListInput } from '@/domain/ipam/ip-address';
import type { IpamSearchInput, IpamSearchResult } from '@/domain/ipam/search';
import type { SubnetListInput } from '@/domain/ipam/subnet';
import type { Page } from '@/domain/list';
import { formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import type { Scope } from '../auth/scope';
import { listIpAddresses } from './queries/ip-addresses';
import {
  findAddressesByText,
  findAddressesWithin,
  findAroundCidr,
  findByAddress,
  findByMac,
  findContainingSubnets,
  findInterfacesByMac,
  findSubnetsByText,
} from './queries/ipam-search';
import { listSubnets } from './queries/subnets';

/** What is known about a pasted address, MAC address or network, as far as visible. At most five queries. */
export async function searchIpam(scope: Scope<'ipam:read'>, { q, limit }: IpamSearchInput): Promise<IpamSearchResult> {
  const { tenants } = scope;
  const nothing = { addresses: [], subnets: [], interfaces: [] };
  const ip = parseIp(q);
  if (ip) {
    const text = formatIp(ip);
    const [addresses, subnets] = await Promise.all([
      findByAddress(tenants, text, limit),
      findContainingSubnets(tenants, text, limit),
    ]);
    return { ...nothing, kind: 'address', q: text, addresses, subnets };
  }
  const mac = normalizeMac(q)?.toLowerCase();
  if (mac) {
    const [addresses, interfaces] = await Promise.all([
      findByMac(tenants, mac, limit),
      findInterfacesByMac(tenants, mac, limit),
    ]);
    return { ...nothing, kind: 'mac', q: mac, addresses, interfaces };
  }
  const cidr = q.includes('/') ? parseCidr(q) : null;
  if (cidr) {
    const text = formatCidr(toNetwork(cidr));
    const [addresses, subnets] = await Promise.all([
      findAddressesWithin(tenants, text, limit),
      findAroundCidr(tenants, text, limit),
    ]);
    return { ...nothing, kind: 'cidr', q: text, addresses, subnets };
  }
  const [addresses, subnets] = await Promise.all([
    findAddressesByText(tenants, q, limit),
    findSubnetsByText(tenants, q, limit),
  ]);
  return { ...nothing, kind: 'text', q, addresses, subnets };
}

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
  const page = await listSubnets(scope.reach, input);
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
  const page = await listIpAddresses(scope.reach, input);
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
