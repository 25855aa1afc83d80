import type { AddressListInput } from '@/domain/ipam/ip-address';
import type { IpamSearchInput, IpamSearchResult } from '@/domain/ipam/search';
import type { SubnetListInput } from '@/domain/ipam/subnet';
import type { Page } from '@/domain/list';
import { formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import type { Scope } from '../auth/scope';
import { listAddressHolders } from './queries/address-holders';
import { listIpAddresses } from './queries/ip-addresses';
import { listConflicts } from './queries/ipam-conflicts';
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
import { findSightings, matchAddress, matchHolderName, matchMac, matchWithin } from './queries/sightings';
import { listSubnets } from './queries/subnets';

/** Sightings of one address by different sources. */
const SOURCES = 5;

/** What a search text means; addresses are canonical. */
function readQuestion(q: string): Pick<IpamSearchResult, 'kind' | 'q'> {
  const ip = parseIp(q);
  if (ip) return { kind: 'address', q: formatIp(ip) };
  const mac = normalizeMac(q)?.toLowerCase();
  if (mac) return { kind: 'mac', q: mac };
  const cidr = q.includes('/') ? parseCidr(q) : null;
  return cidr ? { kind: 'cidr', q: formatCidr(toNetwork(cidr)) } : { kind: 'text', q };
}

const NONE = Promise.resolve([]);

/** What is known about a pasted address, MAC address, network or name, now and before, as far as visible. At most nine queries. */
export async function searchIpam(
  { reach, tenants }: Scope<'ipam:read'>,
  input: IpamSearchInput,
): Promise<Omit<IpamSearchResult, 'policies' | 'policies_total'>> {
  const { limit } = input;
  const question = readQuestion(input.q);
  const { kind, q } = question;
  const find = {
    address: () => ({
      addresses: findByAddress(tenants, q, limit),
      subnets: findContainingSubnets(tenants, q, limit),
      sightings: matchAddress(q),
    }),
    mac: () => ({ addresses: findByMac(tenants, q, limit), subnets: NONE, sightings: matchMac(q) }),
    cidr: () => ({
      addresses: findAddressesWithin(tenants, q, limit),
      subnets: findAroundCidr(tenants, q, limit),
      sightings: matchWithin(q),
    }),
    text: () => ({
      addresses: findAddressesByText(tenants, q, limit),
      subnets: findSubnetsByText(tenants, q, limit),
      sightings: matchHolderName(q),
    }),
  }[kind]();
  const within = kind === 'address' || kind === 'cidr' ? { within: q } : { q };
  const about = kind === 'address' ? { address: q } : { q };
  const [addresses, subnets, interfaces, holders, sightings, conflicts] = await Promise.all([
    find.addresses,
    find.subnets,
    kind === 'mac' ? findInterfacesByMac(tenants, q, limit) : NONE,
    listAddressHolders(reach, { ...within, limit }),
    findSightings(reach, find.sightings, limit * SOURCES),
    kind === 'cidr' ? { items: [] } : listConflicts(reach, { ...about, status: 'open', limit }),
  ]);
  return { ...question, addresses, subnets, interfaces, holders: holders.items, sightings, conflicts: conflicts.items };
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
