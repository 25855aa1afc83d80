import { eq, type SQL, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import { ipAddresses } from '../../db/schema/addresses';
import { networks, subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

/** Interfaces on the network, of visible workloads only. */
export function interfacesOn(tenants: Reach): SQL {
  const reach = workloadInReach(tenants);
  return reach
    ? sql`from ${workloadInterfaces} join ${workloads} on ${eq(workloads.id, workloadInterfaces.workload_id)}
        where ${eq(workloadInterfaces.network_id, networks.id)} and ${reach}`
    : sql`from ${workloadInterfaces} where ${eq(workloadInterfaces.network_id, networks.id)}`;
}

/** Addresses of visible workloads that meet `condition`; all such addresses with reach `all`. */
export function addressesWhere(condition: SQL, tenants: Reach): SQL {
  const reach = workloadInReach(tenants);
  return reach
    ? sql`from ${ipAddresses} join ${workloads} on ${eq(workloads.id, ipAddresses.workload_id)} where ${condition} and ${reach}`
    : sql`from ${ipAddresses} where ${condition}`;
}

const onNetwork = sql`${eq(ipAddresses.cluster_id, networks.cluster_id)} and ${eq(ipAddresses.network_id, networks.id)}`;
/** An address of the subnet of the outer query. */
export const inSubnet = eq(ipAddresses.subnet_id, subnets.id);

/** A tenant sees the networks to which its workloads are attached, and the subnets in which they have addresses. */
export const networkInReach = (tenants: Reach): SQL | undefined =>
  tenants === 'all'
    ? undefined
    : sql`(exists (select 1 ${interfacesOn(tenants)}) or exists (select 1 ${addressesWhere(onNetwork, tenants)}))`;
export const subnetInReach = (tenants: Reach): SQL | undefined =>
  tenants === 'all' ? undefined : sql`exists (select 1 ${addressesWhere(inSubnet, tenants)})`;

/** The same for a subnet under another name, of which `id` is the column. */
export const isSubnetInReach = (id: SQL, tenants: Reach): SQL =>
  tenants === 'all'
    ? sql`true`
    : sql`exists (select 1 ${addressesWhere(sql`${ipAddresses.subnet_id} = ${id}`, tenants)})`;

/** A tenant sees the addresses of its workloads; for a WHERE over `ip_addresses`. */
export function addressInReach(tenants: Reach): SQL | undefined {
  const reach = workloadInReach(tenants);
  return (
    reach && sql`exists (select 1 from ${workloads} where ${eq(workloads.id, ipAddresses.workload_id)} and ${reach})`
  );
}
