import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { nodeAgents, nodes } from '../../db/schema/clusters';
import { guestFilters } from '../../db/schema/firewall-snapshots';
import { workloads } from '../../db/schema/workloads';
import { isReadBefore } from './firewall-snapshots';

export type GuestFilterRow = typeof guestFilters.$inferSelect;

/** What was read of a guest's filter: the reading began at `read_at` and was complete at `changed_at`. */
export type ReadFilter = Pick<GuestFilterRow, 'workload_id' | 'filter_hash' | 'read_at' | 'changed_at'>;

/**
 * Stores filters as they were read; what was read later and is already stored stays. Where a filter differs from the stored one, the
 * time of that is kept as the last one without the difference. The rows must be sorted by id. Workloads that have since been deleted are left out.
 */
export async function storeGuestFilters(executor: Executor, rows: readonly ReadFilter[]): Promise<void> {
  if (rows.length === 0) return;
  await executor.execute(sql`
    insert into ${guestFilters} as t (workload_id, filter_hash, read_at, changed_at)
      select r.workload_id, r.filter_hash, r.read_at, r.changed_at
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as r(workload_id uuid, filter_hash text, read_at timestamptz, changed_at timestamptz)
        join ${workloads} w on w.id = r.workload_id order by r.workload_id
    on conflict (workload_id) do update set read_at = excluded.read_at, filter_hash = excluded.filter_hash,
      changed_at = case when t.filter_hash = excluded.filter_hash then t.changed_at else excluded.changed_at end,
      unchanged_at = case when t.filter_hash = excluded.filter_hash then t.unchanged_at else t.read_at end
    where ${isReadBefore(sql`t.read_at`, sql`excluded.read_at`)}`);
}

export async function findGuestFilters(executor: Executor, workloadIds: readonly string[]): Promise<GuestFilterRow[]> {
  if (workloadIds.length === 0) return [];
  return executor
    .select()
    .from(guestFilters)
    .where(inArray(guestFilters.workload_id, [...workloadIds]));
}

/** What the agent of a node last said about the packet filter there; null where it has none. */
export async function findNodeReport(executor: Executor, clusterId: string, nodeName: string) {
  const [row] = await executor
    .select({
      node_id: nodes.id,
      name: nodes.name,
      agent_status: nodeAgents.status,
      last_heartbeat_at: nodeAgents.last_heartbeat_at,
      nftables_ruleset_hash: nodeAgents.nftables_ruleset_hash,
      ruleset_changed_at: nodeAgents.ruleset_changed_at,
      firewall_status: nodeAgents.firewall_status,
      flow_diagnostics: sql<unknown>`${nodeAgents.payload} -> 'flow_diagnostics'`,
      enforcement: nodeAgents.enforcement,
      enforcement_changed_at: nodeAgents.enforcement_changed_at,
    })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(and(eq(nodes.cluster_id, clusterId), eq(nodes.name, nodeName)));
  return row ?? null;
}
export type NodeReportRow = NonNullable<Awaited<ReturnType<typeof findNodeReport>>>;
