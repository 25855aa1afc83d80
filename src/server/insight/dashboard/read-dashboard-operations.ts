import type { DashboardOperations } from '@/domain/dashboard/dashboard';
import type { DashboardOperationsInput } from '@/domain/dashboard/dashboard-input';
import { countConflictKinds } from '../../addresses/queries/ipam-conflicts';
import { coverageDays } from '../../enforcement/coverage/read-coverage';
import { type FailingNode, listFailingNodes } from '../../enforcement/guest-firewall/failing-nodes';
import { flowStore } from '../../traffic/storage/flow-store';
import {
  countAgentStates,
  countInventory,
  listLastSyncs,
  listTroubledNodes,
  type TroubledNode,
} from '../queries/dashboard-places';
import type { DashboardScopes } from './dashboard-scopes';
import { narrowScopes } from './narrow-scopes';

/** Workloads that are named; the number tells of all. */
const MOST_CONFLICTING = 5;

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
  for (const { kind, conflicts } of await countConflictKinds(scope.reach)) {
    counts.open += conflicts;
    counts[kind] += conflicts;
  }
  return counts;
}

const faultyAmong = (nodes: readonly TroubledNode[], failing: readonly FailingNode[]): Part<'faulty_nodes'> =>
  nodes.flatMap(({ fault, silent: _s, agent_version: _v, last_heartbeat_at: _h, interval_seconds: _i, ...node }) => {
    const faults = [fault, failing.find(({ node_id }) => node_id === node.node_id)?.message ?? null];
    const known = faults.filter((text) => text !== null);
    return known.length === 0 ? [] : [{ ...node, fault: known.join(' ') }];
  });

const silentAmong = (nodes: readonly TroubledNode[]): Part<'silent_agents'> =>
  nodes.flatMap(({ silent, status: _s, fault: _f, missing_since: _m, ...agent }) => (silent ? [agent] : []));

/**
 * What is broken or waits in the installation, now: nodes, syncs, agents, conflicts. What the reader may not see is null.
 * At most nine queries.
 * @throws AppError `not_found` for a tenant out of reach
 */
export async function readDashboardOperations(
  scopes: DashboardScopes,
  input: DashboardOperationsInput,
): Promise<DashboardOperations> {
  const { flow, ipam, cluster, agent } = await narrowScopes(scopes, input.tenant_id);
  const places = cluster ?? agent;
  const [since = ''] = coverageDays(2);
  // Rules of other tenants are named in it: whoever sees a part of the installation learns of it from their policies.
  const failing = cluster?.tenants === 'all' ? await listFailingNodes() : [];
  const ids = failing.map(({ node_id }) => node_id);
  const [last_syncs, troubled, agents, conflicts, verdicts, inventory] = await Promise.all([
    cluster && listLastSyncs(cluster.tenants),
    places && listTroubledNodes(places.tenants, ids),
    readAgents(agent),
    readConflicts(ipam),
    flowStore().hits.conflicts(flow.reach, since, MOST_CONFLICTING),
    countInventory(flow.reach),
  ]);
  return {
    tenant_id: input.tenant_id ?? null,
    last_syncs,
    faulty_nodes: cluster && faultyAmong(troubled ?? [], failing),
    silent_agents: agent && silentAmong(troubled ?? []),
    agents,
    conflicts,
    verdict_conflicts: { since, ...verdicts },
    inventory: {
      clusters: cluster && inventory.clusters,
      nodes: cluster && inventory.nodes,
      workloads: inventory.workloads,
      workloads_running: inventory.workloads_running,
    },
  };
}
