import type { IpamSearchInput, IpamSearchResult } from '@/domain/ipam/search';
import { formatCidr, networkOf, parseCidr } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import type { Scope } from '../auth/scope';
import {
  findAddressesByText,
  findAddressesWithin,
  findAroundCidr,
  findByAddress,
  findByMac,
  findHoldingSubnets,
  findInterfacesByMac,
  findSubnetsByText,
} from './queries/ipam-search';

/** What is known of a pasted address, MAC address or network, within reach. At most five queries. */
export async function searchIpam(scope: Scope<'ipam:read'>, { q, limit }: IpamSearchInput): Promise<IpamSearchResult> {
  const { tenants } = scope;
  const nothing = { addresses: [], subnets: [], interfaces: [] };
  const ip = parseIp(q);
  if (ip) {
    const text = formatIp(ip);
    const [addresses, subnets] = await Promise.all([
      findByAddress(tenants, text, limit),
      findHoldingSubnets(tenants, text, limit),
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
    const text = formatCidr(networkOf(cidr));
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
