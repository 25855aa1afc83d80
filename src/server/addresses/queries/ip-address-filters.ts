import { eq, ilike, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { AddressListInput } from '@/domain/ipam/ip-address';
import { parseCidr } from '@/domain/net/cidr';
import { normalizeMac } from '@/domain/net/mac-address';
import { likePattern } from '../../db/like-pattern';
import { ipAddresses } from '../../db/schema/addresses';
import { subnets } from '../../db/schema/networks';
import { workloads } from '../../db/schema/workloads';

/** Surely the start of an address: digits with a dot, or with a colon in between. */
const ADDRESS_PART = /^(\d{1,3}\.[\d.]*|[0-9a-f]{0,4}:[0-9a-f:.]*)$/i;

/** A search text: an address or its beginning, a CIDR, a MAC address, or a part of a name or description. */
function searchCondition(text: string): SQL | undefined {
  const mac = normalizeMac(text);
  if (mac) return sql`${ipAddresses.mac} = ${mac.toLowerCase()}::macaddr`;
  const cidr = text.includes('/') ? parseCidr(text) : null;
  if (cidr) return sql`${ipAddresses.address} <<= ${text}::inet`;
  if (ADDRESS_PART.test(text)) return sql`host(${ipAddresses.address}) like ${`${text.toLowerCase()}%`}`;
  const pattern = likePattern(text);
  return or(
    ilike(ipAddresses.hostname, pattern),
    ilike(ipAddresses.description, pattern),
    sql`${ipAddresses.workload_id} in (select w.id from ${workloads} w where w.name ilike ${pattern} or w.external_id ilike ${pattern})`,
  );
}

/** The conditions of a list's filters, over `ip_addresses` alone. */
export function addressFilters(input: Omit<AddressListInput, 'limit' | 'cursor' | 'sort'>): (SQL | undefined)[] {
  const { subnet_id } = input;
  const inside = sql`(select s.id from ${subnets} s join ${subnets} p on p.id = ${subnet_id}
    where s.network_id = p.network_id and s.cidr <<= p.cidr)`;
  return [
    input.cluster_id === undefined ? undefined : eq(ipAddresses.cluster_id, input.cluster_id),
    input.network_id === undefined ? undefined : eq(ipAddresses.network_id, input.network_id),
    subnet_id === undefined
      ? undefined
      : input.nested
        ? sql`${ipAddresses.subnet_id} in ${inside}`
        : eq(ipAddresses.subnet_id, subnet_id),
    input.workload_id === undefined ? undefined : eq(ipAddresses.workload_id, input.workload_id),
    input.state === undefined ? undefined : eq(ipAddresses.state, input.state),
    input.source === undefined ? undefined : eq(ipAddresses.source, input.source),
    input.family === undefined ? undefined : sql`family(${ipAddresses.address}) = ${input.family}`,
    input.within === undefined ? undefined : sql`${ipAddresses.address} <<= ${input.within}::inet`,
    input.mac === undefined ? undefined : sql`${ipAddresses.mac} = ${input.mac}::macaddr`,
    input.assigned === undefined
      ? undefined
      : input.assigned
        ? isNotNull(ipAddresses.workload_id)
        : isNull(ipAddresses.workload_id),
    input.q ? searchCondition(input.q) : undefined,
  ];
}
