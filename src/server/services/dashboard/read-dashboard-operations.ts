import type { DashboardOperations } from '@/domain/dashboard/dashboard';
import type { DashboardScopes } from '../../auth/dashboard-scopes';
import {
  countAgentStates,
  countInventory,
  listLastSyncs,
  listTroubledNodes,
} from '../../repositories/dashboard-places';
import { countConflictKinds } from '../../repositories/ipam-conflicts';
import { narrowScopes } from './narrow-scopes';

type Part<K extends keyof DashboardOperations> = NonNullable<DashboardOperations[K]>;

async function readAgents(scope: DashboardScopes['agent']): Promise<Part<'agents'> | null> {
  if (!scope) return null;
  const counts = { nodes: 0, ok: 0, degraded: 0, silent: 0, pending: 0, none: 0 };
  for (const { status, nodes } of await countAgentStates(scope.tenants)) {
    counts.nodes += nodes;
    counts[status ?? 'none'] += nodes;
  }
  return counts;
}

async function readConflicts(scope: DashboardScopes['ipam']): Promise<Part<'conflicts'> | null> {
  if (!scope) return null;
  const counts = { open: 0, duplicate_address: 0, duplicate_mac: 0, outside_subnet: 0, reserved_in_use: 0 };
  for (const { kind, conflicts } of await countConflictKinds(scope.tenants)) {
    counts.open += conflicts;
    counts[kind] += conflicts;
  }
  return counts;
}

/**
 * What is broken or waits in the installation, now: nodes, syncs, agents, conflicts. What the reader may not see is null.
 * At most six queries.
 * @throws AppError `not_found` for a tenant out of reach
 */
export async function readDashboardOperations(
  scopes: DashboardScopes,
  input: { tenant_id?: string | undefined },
): Promise<DashboardOperations> {
  const { flow, ipam, cluster, agent } = await narrowScopes(scopes, input.tenant_id);
  const places = cluster ?? agent;
  const [last_syncs, troubled, agents, conflicts, inventory] = await Promise.all([
    cluster && listLastSyncs(cluster.tenants),
    places && listTroubledNodes(places.tenants),
    readAgents(agent),
    readConflicts(ipam),
    countInventory(flow.tenants),
  ]);
  return {
    tenant_id: input.tenant_id ?? null,
    last_syncs,
    faulty_nodes:
      cluster &&
      (troubled ?? []).flatMap(({ node_id, node_name, cluster_id, cluster_name, workloads_running, ...node }) =>
        node.fault === null
          ? []
          : [
              {
                node_id,
                node_name,
                cluster_id,
                cluster_name,
                status: node.status,
                fault: node.fault,
                missing_since: node.missing_since,
                workloads_running,
              },
            ],
      ),
    silent_agents:
      agent &&
      (troubled ?? []).flatMap(({ node_id, node_name, cluster_id, cluster_name, workloads_running, ...node }) =>
        node.silent
          ? [
              {
                node_id,
                node_name,
                cluster_id,
                cluster_name,
                agent_version: node.agent_version,
                last_heartbeat_at: node.last_heartbeat_at,
                interval_seconds: node.interval_seconds,
                workloads_running,
              },
            ]
          : [],
      ),
    agents,
    conflicts,
    inventory: {
      clusters: cluster && inventory.clusters,
      nodes: cluster && inventory.nodes,
      workloads: inventory.workloads,
      workloads_running: inventory.workloads_running,
    },
  };
}
