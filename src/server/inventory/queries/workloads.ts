import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import {
  WORKLOAD_SORTS,
  Workload,
  type WorkloadDetail,
  WorkloadInterface,
  type WorkloadListInput,
} from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { columnsOf, sortKeysOf } from '../../db/declared-fields';
import { pageOfRows } from '../../db/page-of-rows';
import { pgArray } from '../../db/pg-array';
import { projects } from '../../db/schema/access';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters, nodes } from '../../db/schema/clusters';
import { subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';
import { workloadFilters } from './workload-filters';

/** A workload as it is stored: its protection follows from what was read of firewalls. */
type Stored<T> = Omit<T, 'protection'>;
type StoredDetail = Stored<Omit<WorkloadDetail, 'interfaces'>> & { interfaces: Stored<WorkloadInterface>[] };

/** Addresses in the order of how much their source is trusted; only those in use. */
const PRIMARY_ADDRESSES = 3;
const trust = sql`array_position(array['agent', 'sdn', 'config', 'manual', 'cloudinit'], ${ipAddresses.source})`;
const addressesOf = sql`from ${ipAddresses} where ${eq(ipAddresses.workload_id, workloads.id)}`;
const interfacesOf = sql`from ${workloadInterfaces} where ${eq(workloadInterfaces.workload_id, workloads.id)}`;

/** Protection follows from readings. */
const StoredWorkload = Workload.omit({ protection: true });
const columns = columnsOf(StoredWorkload, workloads, {
  cluster_name: clusters.name,
  node_name: nodes.name,
  project_name: projects.name,
  tenant_id: projects.tenant_id,
  primary_addresses: sql<string[]>`array(select host(${ipAddresses.address}) ${addressesOf}
    and ${ipAddresses.state} in ('active', 'dhcp') order by ${trust}, ${ipAddresses.address} limit ${PRIMARY_ADDRESSES})`,
  addresses_total: sql<number>`(select count(*)::int ${addressesOf})`,
  interfaces_total: sql<number>`(select count(*)::int ${interfacesOf})`,
  interfaces_firewalled: sql<number>`(select count(*)::int ${interfacesOf} and ${workloadInterfaces.firewall})`,
});
const interfaceColumns = columnsOf(WorkloadInterface.omit({ protection: true }), workloadInterfaces, {});
const SORTS = sortKeysOf(StoredWorkload, WORKLOAD_SORTS, columns);

const select = () =>
  db
    .select(columns)
    .from(workloads)
    .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .leftJoin(nodes, eq(nodes.id, workloads.node_id))
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .$dynamic();

/** Workloads within reach, page by page; `ids` limits them to these. Two queries. */
export async function listWorkloads(
  reach: Reach,
  input: WorkloadListInput,
  ids: readonly string[] | null = null,
): Promise<Page<Stored<Workload>>> {
  const conditions: (SQL | undefined)[] = [
    workloadInReach(reach),
    ids === null ? undefined : sql`${workloads.id} = any (${pgArray('uuid', ids)})`,
    ...workloadFilters(input),
  ];
  return pageOfRows<Stored<Workload>>(input, { sorts: SORTS, sort: 'name', id: workloads.id }, (paging) => ({
    rows: select()
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(workloads, and(...conditions)),
  }));
}

/** One workload within reach with its interfaces and addresses, or null. Three queries. */
export async function findWorkload(reach: Reach, id: string): Promise<StoredDetail | null> {
  const [[workload], interfaces, addresses] = await Promise.all([
    select().where(and(eq(workloads.id, id), workloadInReach(reach))),
    db
      .select(interfaceColumns)
      .from(workloadInterfaces)
      .where(eq(workloadInterfaces.workload_id, id))
      .orderBy(sql`length(${workloadInterfaces.name})`, asc(workloadInterfaces.name)),
    db
      .select({
        id: ipAddresses.id,
        address: ipAddresses.address,
        subnet_id: ipAddresses.subnet_id,
        subnet_cidr: subnets.cidr,
        network_id: ipAddresses.network_id,
        interface_id: ipAddresses.interface_id,
        state: ipAddresses.state,
        source: ipAddresses.source,
      })
      .from(ipAddresses)
      .innerJoin(subnets, eq(subnets.id, ipAddresses.subnet_id))
      .where(eq(ipAddresses.workload_id, id))
      .orderBy(asc(ipAddresses.address)),
  ]);
  // The other two answers are of use only with the first: what is out of reach does not exist.
  return workload ? { ...workload, interfaces, ip_addresses: addresses } : null;
}
