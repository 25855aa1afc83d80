import { eq, inArray, sql } from 'drizzle-orm';
import type { NetboxKind } from '@/domain/netbox/objects';
import type { Executor, Tx } from '../../db/client';
import { projects } from '../../db/schema/access';
import { clusters } from '../../db/schema/clusters';
import { netboxObjects, netboxSources } from '../../db/schema/netbox';
import { networks } from '../../db/schema/networks';
import { securityGroupMembers, securityGroups } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { batches } from '../../db/update-rows';

/** What an import wrote of an object, and where. */
export type KnownObject = {
  kind: NetboxKind;
  netbox_id: number;
  network_id: string;
  name: string;
  written: Record<string, string | number | boolean | null>;
};

export async function listKnownObjects(executor: Executor, sourceId: string): Promise<KnownObject[]> {
  const { kind, netbox_id, network_id, name, written } = netboxObjects;
  return executor
    .select({ kind, netbox_id, network_id, name, written })
    .from(netboxObjects)
    .where(eq(netboxObjects.source_id, sourceId));
}

/** Remembers what was written of objects. */
export async function storeKnownObjects(tx: Tx, sourceId: string, rows: readonly KnownObject[]): Promise<void> {
  for (const batch of batches(rows)) {
    await tx
      .insert(netboxObjects)
      .values(batch.map((row) => ({ ...row, source_id: sourceId })))
      .onConflictDoUpdate({
        target: [netboxObjects.source_id, netboxObjects.kind, netboxObjects.netbox_id],
        set: {
          network_id: sql`excluded.network_id`,
          name: sql`excluded.name`,
          written: sql`excluded.written`,
          updated_at: sql`now()`,
        },
      });
  }
}

/** Notes that changes of a source were written. */
export async function updateLastImport(tx: Tx, sourceId: string, at: string): Promise<void> {
  await tx.update(netboxSources).set({ last_import_at: at }).where(eq(netboxSources.id, sourceId));
}

/** The clusters of networks, by the id of the network. */
export async function listNetworkClusters(executor: Executor, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return executor
    .select({ network_id: networks.id, cluster: clusters.name })
    .from(networks)
    .innerJoin(clusters, eq(clusters.id, networks.cluster_id))
    .where(inArray(networks.id, [...ids]));
}

export type MemberContext = {
  groups: { id: string; name: string; tenant_id: string | null; project_id: string | null }[];
  members: { security_group_id: string; workload_id: string }[];
  owners: { id: string; name: string; tenant_id: string | null; project_id: string | null }[];
};

/** Groups with their members, and to whom workloads of these clusters belong. */
export async function readMemberContext(
  executor: Executor,
  groupIds: readonly string[],
  clusterIds: readonly string[],
): Promise<MemberContext> {
  if (groupIds.length === 0 || clusterIds.length === 0) return { groups: [], members: [], owners: [] };
  const { id, name, tenant_id, project_id } = securityGroups;
  const { security_group_id, workload_id } = securityGroupMembers;
  const [groups, members, owners] = await Promise.all([
    executor
      .select({ id, name, tenant_id, project_id })
      .from(securityGroups)
      .where(inArray(id, [...groupIds])),
    executor
      .select({ security_group_id, workload_id })
      .from(securityGroupMembers)
      .where(inArray(security_group_id, [...groupIds])),
    executor
      .select({
        id: workloads.id,
        name: workloads.name,
        tenant_id: projects.tenant_id,
        project_id: workloads.project_id,
      })
      .from(workloads)
      .leftJoin(projects, eq(projects.id, workloads.project_id))
      .where(inArray(workloads.cluster_id, [...clusterIds])),
  ]);
  return { groups, members, owners };
}
