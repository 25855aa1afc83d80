import { CONFLICT_KINDS } from '@/domain/choices';
import type {
  Dashboard,
  DashboardInput,
  DashboardOperations,
  DashboardOperationsInput,
  DashboardSecurity,
  DashboardTraffic,
  DashboardTrafficInput,
} from '@/domain/dashboard/dashboard';
import { ratePosture } from '@/domain/dashboard/security-posture';
import { HOUR_MS } from '@/domain/durations';
import type { ConflictKind } from '@/domain/ipam/conflict';
import { countConflictKinds } from '../../addresses/queries/ipam-conflicts';
import type { Sharing } from '../../admission/shared-answers';
import { authorizeIfGranted, narrowScope, type Scope, type Session } from '../../auth/scope';
import { coverageDays } from '../../enforcement/coverage/read-coverage';
import { type FailingNode, listFailingNodes } from '../../enforcement/guest-firewall/failing-nodes';
import { readFirewallState, readFirewallVersion } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { sumEscaped } from '../../enforcement/queries/escaped';
import { clock } from '../../lib/clock';
import { narrowToTenant } from '../../tenancy/choose-owner';
import { flowStore } from '../../traffic/storage/flow-store';
import { selectFlows } from '../flows/list-flows';
import { readTopTalkers } from '../flows/read-top-talkers';
import { readTrafficSeries } from '../flows/series';
import {
  countAgentStates,
  countInventory,
  countRunningByNode,
  listLastSyncs,
  listTroubledNodes,
  type RunningPlace,
  readOperationsStamp,
  type TroubledNode,
} from '../queries/monitored-nodes';
import { countEnforcement, countPolicyStatuses } from './counts';
import { readMonitoring } from './read-monitoring';
import { readOutsideConnections } from './read-outside-connections';
import { readSuspicious } from './read-suspicious';

/** What a reader of the dashboard may see of each part; null: nothing. */
export type DashboardScopes = {
  readonly flow: Scope<'flow:read'>;
  readonly workload: Scope<'workload:read'> | null;
  readonly policy: Scope<'policy:read'> | null;
  readonly ipam: Scope<'ipam:read'> | null;
  readonly cluster: Scope<'cluster:read'> | null;
  readonly agent: Scope<'agent:read'> | null;
};

/** What besides flows the parts depend on. */
const OTHER_READING = {
  workload: 'workload:read',
  policy: 'policy:read',
  ipam: 'ipam:read',
  cluster: 'cluster:read',
  agent: 'agent:read',
} as const;

/** How long a part of the dashboard is shared by people who may see the same. What else than heartbeats changes it is in the version. */
export const shareDashboard = (seconds: number, version: Sharing['version'] = async () => []): Sharing => ({
  seconds,
  permissions: ['flow:read', ...Object.values(OTHER_READING)],
  version: async () => [await readFirewallVersion(), ...(await version())],
});
/** Nodes, clusters, conflicts and agents change what is broken or waiting; the firewall state has none of them. */
export const shareOperations = shareDashboard(5, async () => [await readOperationsStamp()]);

/** The dashboard is for those who may read flows; the rest of it depends on what else they may. */
export function dashboardScopes(session: Session | null, flow: Scope<'flow:read'>): DashboardScopes {
  const find = <P extends keyof typeof OTHER_READING>(part: P) => authorizeIfGranted(session, OTHER_READING[part]);
  return {
    flow,
    workload: find('workload'),
    policy: find('policy'),
    ipam: find('ipam'),
    cluster: find('cluster'),
    agent: find('agent'),
  };
}

/**
 * The scopes for one tenant only; unchanged without one. What belongs to the installation (nodes, syncs, agents)
 * then counts as far as the tenant's workloads run there.
 * @throws AppError `not_found` for a tenant that is not visible to the caller
 */
export async function narrowScopes(scopes: DashboardScopes, tenantId: string | undefined): Promise<DashboardScopes> {
  if (tenantId === undefined) return scopes;
  return {
    flow: await narrowToTenant(scopes.flow, tenantId),
    workload: scopes.workload && narrowScope(scopes.workload, tenantId),
    policy: scopes.policy && narrowScope(scopes.policy, tenantId),
    ipam: scopes.ipam && narrowScope(scopes.ipam, tenantId),
    cluster: scopes.cluster && narrowScope(scopes.cluster, tenantId),
    agent: scopes.agent && narrowScope(scopes.agent, tenantId),
  };
}

/** Workloads that are named; the count covers all. */
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
  const kinds = Object.fromEntries(CONFLICT_KINDS.map((kind) => [kind, 0])) as Record<ConflictKind, number>;
  const counts = { open: 0, ...kinds };
  for (const { kind, conflicts } of await countConflictKinds(scope.reach)) {
    counts.open += conflicts;
    counts[kind] += conflicts;
  }
  return counts;
}

const listFaultyNodes = (nodes: readonly TroubledNode[], failing: readonly FailingNode[]): Part<'faulty_nodes'> =>
  nodes.flatMap(({ fault, silent: _s, agent_version: _v, last_heartbeat_at: _h, interval_seconds: _i, ...node }) => {
    const faults = [fault, failing.find(({ node_id }) => node_id === node.node_id)?.message ?? null];
    const known = faults.filter((text) => text !== null);
    return known.length === 0 ? [] : [{ ...node, fault: known.join(' ') }];
  });

const listStaleAgents = (nodes: readonly TroubledNode[]): Part<'silent_agents'> =>
  nodes.flatMap(({ silent, status: _s, fault: _f, missing_since: _m, ...agent }) => (silent ? [agent] : []));

/**
 * What is broken or waiting in the installation, and the status of policies, now. What the reader may not see is null, and stored flows
 * decide none of it: it is known while their store is away. At most ten queries.
 * @throws AppError `not_found` for a tenant not visible to the caller
 */
export async function readDashboardOperations(
  scopes: DashboardScopes,
  input: DashboardOperationsInput,
): Promise<DashboardOperations> {
  const { flow, ipam, cluster, agent, policy } = await narrowScopes(scopes, input.tenant_id);
  const places = cluster ?? agent;
  const [since = ''] = coverageDays(2);
  // It names rules of other tenants: users who see only a part of the installation learn about it from their
  // policies.
  const failing = cluster?.tenants === 'all' ? await listFailingNodes() : [];
  const ids = failing.map(({ node_id }) => node_id);
  const day = new Date(clock.now().getTime() - 24 * HOUR_MS).toISOString();
  const [last_syncs, troubled, agents, conflicts, verdicts, escaped, inventory, firewall] = await Promise.all([
    cluster && listLastSyncs(cluster.tenants),
    places && listTroubledNodes(places.tenants, ids),
    readAgents(agent),
    readConflicts(ipam),
    flowStore().hits.conflicts(flow.reach, since, MOST_CONFLICTING),
    sumEscaped(flow.reach, day, MOST_CONFLICTING),
    countInventory(flow.reach),
    policy && readFirewallState(),
  ]);
  return {
    tenant_id: input.tenant_id ?? null,
    last_syncs,
    faulty_nodes: cluster && listFaultyNodes(troubled ?? [], failing),
    policies: policy && firewall && countPolicyStatuses(firewall, policy.reach),
    silent_agents: agent && listStaleAgents(troubled ?? []),
    agents,
    conflicts,
    verdict_conflicts: { since, ...verdicts },
    escaped,
    inventory: {
      clusters: cluster && inventory.clusters,
      nodes: cluster && inventory.nodes,
      workloads: inventory.workloads,
      workloads_running: inventory.workloads_running,
    },
  };
}

/**
 * How secure the installation, or its visible part, is: the posture with its parts as of now, and suspicious traffic of
 * the range. The number of queries does not grow with the data; no cluster is contacted.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant not visible to the
 *   caller
 */
export async function readDashboardSecurity(
  scopes: DashboardScopes,
  input: DashboardInput,
): Promise<DashboardSecurity> {
  const { flow, policy, workload } = await narrowScopes(scopes, input.tenant_id);
  const { since: from, until: to } = input;
  const [{ selection, since, until, now }, firewall, running] = await Promise.all([
    selectFlows(flow, { since: from, until: to }),
    readFirewallState(),
    countRunningByNode(flow.reach),
  ]);
  const reach = { flows: flow.reach, policies: policy?.reach ?? [], rules: workload?.reach ?? null };
  const suspicious = await readSuspicious(selection, firewall, reach, input.suspicious_limit);
  const policies = policy && countPolicyStatuses(firewall, policy.reach);
  const agents = { watched: 0, silent: 0, unwatched: 0 };
  const reports = ({ status }: RunningPlace) => status === 'ok' || status === 'degraded';
  for (const place of running) {
    agents[reports(place) ? 'watched' : place.status === 'silent' ? 'silent' : 'unwatched'] += place.workloads;
  }
  const places = running.map((place) => ({ ...place, reports: reports(place) }));
  const { active = 0, stale = 0, partial = 0, unresolved = 0 } = policies ?? {};
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    tenant_id: input.tenant_id ?? null,
    security_posture: ratePosture({
      enforcement: countEnforcement(firewall, flow.reach),
      policies: policies && { active, stale, partial, unresolved },
      suspicious: suspicious.summary,
      agents,
    }),
    monitoring: await readMonitoring(places, { since, until }, now),
    suspicious_traffic: suspicious.entries,
    suspicious_summary: suspicious.summary,
    suspicious_since: new Date(Math.max(since, Date.parse(selection.cutoff))).toISOString(),
  };
}

/** More are for the list of flows, grouped by workloads. */
const TALKERS = 10;
/** More are on the topology map. */
const FROM_OUTSIDE = 8;

/**
 * Visible traffic of the range: who carried how much and when, and who connected from outside. At most eleven
 * queries.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant not visible to the
 *   caller
 */
export async function readDashboardTraffic(
  scopes: DashboardScopes,
  input: DashboardTrafficInput,
): Promise<DashboardTraffic> {
  const { flow, workload } = await narrowScopes(scopes, input.tenant_id);
  const until = input.until === undefined ? clock.now().getTime() : Date.parse(input.until);
  const since = input.since === undefined ? until - HOUR_MS : Date.parse(input.since);
  const range = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  const [talkers, traffic, from_outside] = await Promise.all([
    readTopTalkers(flow, range, TALKERS),
    readTrafficSeries(flow, range),
    readOutsideConnections(flow, workload, range, FROM_OUTSIDE),
  ]);
  return {
    ...range,
    tenant_id: input.tenant_id ?? null,
    top_talkers: talkers.items,
    top_talkers_source: talkers.source,
    top_talkers_sums: talkers.sums,
    traffic,
    from_outside,
  };
}

/**
 * The whole dashboard, as far as it is visible to the caller.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant not visible to the
 *   caller
 */
export async function readDashboard(scopes: DashboardScopes, input: DashboardInput): Promise<Dashboard> {
  const { suspicious_limit: _, ...traffic } = input;
  const parts = await Promise.all([
    readDashboardOperations(scopes, { tenant_id: input.tenant_id }),
    readDashboardTraffic(scopes, traffic),
    readDashboardSecurity(scopes, input),
  ]);
  return { ...parts[0], ...parts[1], ...parts[2] };
}
