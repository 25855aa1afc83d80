import { and, eq, sql } from 'drizzle-orm';
import type { TopTalker } from '@/domain/flow/traffic-sums';
import type { Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { pgArray } from '../../db/pg-array';
import { clusters, nodes } from '../../db/schema/clusters';
import { workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

/** What heads an answer about a workload; null when there is none within reach. One query. */
export async function findWorkloadBrief(reach: Reach, id: string) {
  const [row] = await db
    .select({
      id: workloads.id,
      name: workloads.name,
      vmid: workloads.vmid,
      cluster_id: workloads.cluster_id,
      cluster_name: clusters.name,
      node_name: nodes.name,
      status: workloads.status,
    })
    .from(workloads)
    .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .leftJoin(nodes, eq(nodes.id, workloads.node_id))
    .where(and(eq(workloads.id, id), workloadInReach(reach)));
  return row ?? null;
}

/** Those of the guests that are within reach, by id. One query. */
export async function nameTalkers(ids: readonly string[], reach: Reach): Promise<Map<string, TopTalker['workload']>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({
      id: workloads.id,
      name: workloads.name,
      vmid: workloads.vmid,
      kind: workloads.kind,
      cluster_id: workloads.cluster_id,
      cluster_name: clusters.name,
    })
    .from(workloads)
    .innerJoin(clusters, sql`${clusters.id} = ${workloads.cluster_id}`)
    .where(sql`${workloads.id} = any (${pgArray('uuid', ids)}) and ${workloadInReach(reach) ?? sql`true`}`);
  return new Map(rows.map((row) => [row.id, row]));
}
