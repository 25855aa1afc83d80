import { asc, eq, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import type { TopologyWorkload } from '@/domain/topology/topology';
import { db } from '../../db/client';
import { rowStamp } from '../../db/row-stamp';
import { projects } from '../../db/schema/access';
import { clusters } from '../../db/schema/clusters';
import { networks } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

export type TopologyCard = {
  workload_id: string;
  network_id: string;
  network_name: string;
  vlan_tag: number | null;
};

/** Visible workloads that could be on a map; templates and those that are gone are not. One query. */
export function listTopologyWorkloads(
  tenants: Reach,
  clusterId: string | undefined,
): Promise<Omit<TopologyWorkload, 'network_ids' | 'addresses'>[]> {
  return db
    .select({
      id: workloads.id,
      cluster_id: workloads.cluster_id,
      name: workloads.name,
      vmid: workloads.vmid,
      kind: workloads.kind,
      status: workloads.status,
      tags: workloads.tags,
      project_id: workloads.project_id,
      project_name: projects.name,
    })
    .from(workloads)
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .where(
      sql`not ${workloads.template} and ${workloads.missing_since} is null and ${workloadInReach(tenants) ?? sql`true`}
        and ${clusterId === undefined ? sql`true` : eq(workloads.cluster_id, clusterId)}`,
    )
    .orderBy(asc(workloads.name), asc(workloads.id));
}

/** Networks of the interfaces of visible workloads, in the order of the interfaces. One query. */
export function listTopologyCards(tenants: Reach, clusterId: string | undefined): Promise<TopologyCard[]> {
  return db
    .select({
      workload_id: workloadInterfaces.workload_id,
      network_id: networks.id,
      network_name: networks.name,
      vlan_tag: workloadInterfaces.vlan_tag,
    })
    .from(workloadInterfaces)
    .innerJoin(networks, eq(networks.id, workloadInterfaces.network_id))
    .innerJoin(workloads, eq(workloads.id, workloadInterfaces.workload_id))
    .where(
      sql`${workloadInReach(tenants) ?? sql`true`}
        and ${clusterId === undefined ? sql`true` : eq(workloads.cluster_id, clusterId)}`,
    )
    .orderBy(sql`length(${workloadInterfaces.name})`, asc(workloadInterfaces.name));
}

/** Changes whenever an interface of a workload does. One query. */
export async function readInterfacesStamp(): Promise<string> {
  const [row] = await db.execute<{ stamp: string }>(sql`select ${rowStamp(workloadInterfaces)} as stamp`);
  return row?.stamp ?? '';
}

/** Names of all clusters. One query. */
export const listClusterNames = (): Promise<{ id: string; name: string }[]> =>
  db.select({ id: clusters.id, name: clusters.name }).from(clusters).orderBy(asc(clusters.name));
