import { and, eq, sql } from 'drizzle-orm';
import type { AddressState } from '@/domain/ipam/ip-address';
import type { Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { ipAddresses } from '../../db/schema/addresses';
import { subnets } from '../../db/schema/networks';
import { workloads } from '../../db/schema/workloads';
import { addressInReach, isSubnetInReach } from '../../inventory/queries/ipam-reach';

type GridAddress = {
  id: string;
  address: string;
  state: AddressState;
  subnet_id: string;
  hostname: string | null;
  description: string;
  workload_id: string | null;
  workload_name: string | null;
};

/** Addresses of a network from `first` to `last`, of workloads within reach. One query. */
export function addressesBetween(
  reach: Reach,
  place: { cluster_id: string; network_id: string },
  first: string,
  last: string,
): Promise<GridAddress[]> {
  return db
    .select({
      id: ipAddresses.id,
      address: sql<string>`host(${ipAddresses.address})`,
      state: ipAddresses.state,
      subnet_id: ipAddresses.subnet_id,
      hostname: ipAddresses.hostname,
      description: ipAddresses.description,
      workload_id: ipAddresses.workload_id,
      workload_name: workloads.name,
    })
    .from(ipAddresses)
    .leftJoin(workloads, eq(workloads.id, ipAddresses.workload_id))
    .where(
      and(
        eq(ipAddresses.cluster_id, place.cluster_id),
        eq(ipAddresses.network_id, place.network_id),
        sql`${ipAddresses.address} between ${first}::inet and ${last}::inet`,
        addressInReach(reach),
      ),
    )
    .orderBy(ipAddresses.address);
}

/** Prefixes within reach inside the subnet that share an address with the part from `first` to `last`, wider before narrower. */
export async function prefixesBetween(
  reach: Reach,
  place: { network_id: string; cidr: string },
  first: string,
  last: string,
): Promise<{ id: string; cidr: string; first: string; last: string }[]> {
  const rows = await db.execute<{ id: string; cidr: string; first: string; last: string }>(sql`
    select s.id, s.cidr::text as cidr, host(network(s.cidr)) as first, host(broadcast(s.cidr)) as last from ${subnets} s
    where s.network_id = ${place.network_id} and s.cidr << ${place.cidr}::cidr
      and ${isSubnetInReach(sql.raw('s.id'), reach)}
      and host(network(s.cidr))::inet <= ${last}::inet and host(broadcast(s.cidr))::inet >= ${first}::inet
    order by masklen(s.cidr)`);
  return [...rows];
}
