import { HOUR_MS } from '@/domain/durations';
import { HOURLY_HOURS, planRange } from '@/domain/flow/plan-range';
import type { ConversationTable } from '@/domain/topology/conversation-table';
import type { EvaluatedConversations } from '@/domain/topology/edge-totals';
import { foldConversations } from '@/domain/topology/fold-conversations';
import { groupPlacer } from '@/domain/topology/group-workloads';
import { selectRows } from '@/domain/topology/merge-tables';
import {
  MAX_TOPOLOGY_EDGES,
  MAX_TOPOLOGY_WORKLOADS,
  type Topology,
  type TopologyGrouping,
  TopologyInput,
  type TopologyNetwork,
  type TopologyWorkload,
} from '@/domain/topology/topology';
import type { Sharing } from '../../admission/shared-answers';
import type { Scope } from '../../auth/scope';
import { readFirewallState, readFirewallVersion } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { notFound } from '../../lib/refusals';
import { flowStore } from '../../traffic/storage/flow-store';
import { type ConversationVerdict, evaluateTable } from '../flows/conversation-verdicts';
import { selectFlows } from '../flows/list-flows';
import { questionOfRange } from '../flows/series';
import {
  listClusterNames,
  listTopologyCards,
  listTopologyWorkloads,
  readInterfacesStamp,
  type TopologyCard,
} from '../queries/topology';
import { buildGroupMap } from './group-map';

const networkId = ({ network_id, vlan_tag }: TopologyCard) =>
  vlan_tag === null ? network_id : `${network_id}.${vlan_tag}`;

/** Networks as the interfaces name them, and those of each workload without repetition. */
function buildNetworks(cards: readonly TopologyCard[], clusterOf: ReadonlyMap<string, string>) {
  const networks = new Map<string, TopologyNetwork>();
  const byWorkload = new Map<string, string[]>();
  for (const card of cards) {
    const cluster_id = clusterOf.get(card.workload_id);
    if (cluster_id === undefined) continue;
    const id = networkId(card);
    const { network_id, network_name: name, vlan_tag } = card;
    networks.set(id, { id, network_id, cluster_id, name, vlan_tag });
    const known = byWorkload.get(card.workload_id);
    if (!known) byWorkload.set(card.workload_id, [id]);
    else if (!known.includes(id)) known.push(id);
  }
  return { networks, byWorkload };
}

/** Nodes report about twice a minute: so long a map is shared by people who may see the same and ask for the same minutes. */
export const shareTopology: Sharing = {
  seconds: 15,
  permissions: ['flow:read', 'workload:read'],
  version: () => Promise.all([readFirewallVersion(), readInterfacesStamp()]),
  question: questionOfRange(TopologyInput, () => true),
};

/** How workloads are grouped when that is left to the installation: by project where projects are used. */
const resolveGrouping = (
  asked: TopologyInput['group_by'],
  workloads: readonly Pick<TopologyWorkload, 'project_id'>[],
): TopologyGrouping | null => {
  if (asked !== 'auto') return asked ?? null;
  return workloads.some(({ project_id }) => project_id !== null) ? 'project' : 'network';
};

/** The workloads that a filter by project or tag means; null without one. */
function listFilteredIds(
  workloads: readonly Pick<TopologyWorkload, 'id' | 'project_id' | 'tags'>[],
  { project_id: project, tag }: TopologyInput,
): string[] | null {
  if (project === undefined && tag === undefined) return null;
  return workloads
    .filter(({ project_id }) => project === undefined || (project_id ?? 'none') === project)
    .filter(({ tags }) => tag === undefined || tags.includes(tag))
    .map(({ id }) => id);
}

/** Ids of workloads at the ends of conversations. */
function listEndpointIds({ table: { ends, source, destination } }: EvaluatedConversations): Set<string> {
  const numbers = new Set([...source, ...destination]);
  return new Set([...numbers].flatMap((number) => ends[number]?.workload_id ?? []));
}

/** The conversations that a filter by policy or verdict means. */
function selectAsked(
  table: ConversationTable,
  verdicts: readonly ConversationVerdict[],
  { policy_id: policy, verdict }: TopologyInput,
): EvaluatedConversations {
  if (policy === undefined && verdict === undefined) return { table, verdicts };
  const isAsked = ({ policies, edge }: ConversationVerdict) =>
    (policy === undefined || policies.includes(policy)) && (verdict?.includes(edge) ?? true);
  const rows = Uint32Array.from(verdicts.flatMap((found, row) => (isAsked(found) ? [row] : [])));
  return { table: selectRows(table, rows), verdicts: verdicts.filter(isAsked) };
}

const listTags = (workloads: readonly Pick<TopologyWorkload, 'tags'>[]): string[] =>
  [...new Set(workloads.flatMap(({ tags }) => tags))].sort(new Intl.Collator('en', { numeric: true }).compare);

/**
 * The traffic of a time range that the reader may see: networks, workloads or groups of them, what is outside, and the conversations
 * between them, with their verdict by the rules that were last read. At most twelve queries.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 * @throws AppError `malformed` when the range ends before it begins; `not_found` for a workload that the reader may not see
 */
export async function readTopology(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: TopologyInput,
): Promise<Topology> {
  const { reach } = scope;
  const { cluster_id, workload_id, since: from, until: to } = input;
  const [{ selection, since, until, now, retentionHours }, found, cards, clusters, firewall] = await Promise.all([
    selectFlows(scope, { cluster_id, workload_id, since: from, until: to }),
    listTopologyWorkloads(reach, cluster_id),
    listTopologyCards(reach, cluster_id),
    listClusterNames(),
    readFirewallState(),
  ]);
  const plan = planRange({ since, until }, { now, retentionHours, summed: true });
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const source = plan.source === 'hours' ? 'hours' : 'minutes';
  const clusterOf = new Map(found.map(({ id, cluster_id: cluster }) => [id, cluster]));
  if (workload_id !== undefined && !clusterOf.has(workload_id)) {
    throw notFound('workload');
  }
  const group_by = resolveGrouping(input.group_by, found);
  const at = listFilteredIds(found, input) ?? undefined;
  const filter = { hosts: group_by !== null && at === undefined, at };
  const { table, complete } = await flowStore().edges({ ...selection, ...range }, source, filter);
  const verdicts = await evaluateTable(firewall, { flows: reach, rules: rules?.reach ?? null }, table);
  const evaluated = selectAsked(table, verdicts, input);
  const { networks, byWorkload } = buildNetworks(cards, clusterOf);
  const { workloads: inputs } = firewall.inputs;
  const narrowed = workload_id !== undefined || at !== undefined || input.policy_id !== undefined;
  const seen = narrowed ? listEndpointIds(evaluated) : new Set<string>();
  if (workload_id !== undefined) seen.add(workload_id);
  for (const id of at ?? []) seen.add(id);
  const requested = (narrowed ? found.filter(({ id }) => seen.has(id)) : found).map(
    (workload): TopologyWorkload => ({
      ...workload,
      network_ids: byWorkload.get(workload.id) ?? [],
      addresses: [...(inputs.get(workload.id)?.addresses ?? [])],
    }),
  );
  const {
    groups,
    edges: heaviest,
    edges_total,
    sums,
    peers,
    shown,
  } = group_by === null
    ? buildWorkloadMap(evaluated, { requested, clusterOf, byWorkload })
    : buildGroupMap(evaluated, { requested, placeOf: groupPlacer(group_by, networks), input });
  const met = new Set(heaviest.flatMap((edge) => [edge.source, edge.destination]));
  if (workload_id !== undefined) met.add(workload_id);
  const order = [...shown.filter(({ id }) => met.has(id)), ...shown.filter(({ id }) => !met.has(id))];
  const workloads = order.slice(0, MAX_TOPOLOGY_WORKLOADS);
  const placed = new Set([...workloads, ...peers, ...groups].map(({ id }) => id));
  const edges = heaviest.filter((edge) => placed.has(edge.source) && placed.has(edge.destination));
  const networkIds = new Set(workloads.flatMap(({ network_ids }) => network_ids));
  const here = new Set(requested.map((workload) => workload.cluster_id));
  return {
    ...range,
    source,
    kept_since: new Date(now - HOURLY_HOURS * HOUR_MS).toISOString(),
    clusters: clusters.filter(({ id }) => here.has(id)),
    networks: [...networks.values()].filter(({ id }) => networkIds.has(id)),
    workloads,
    peers: peers.filter(({ id }) => met.has(id)),
    edges,
    workloads_total: requested.length,
    edges_total,
    group_by,
    groups,
    tags: group_by === null ? [] : listTags(found),
    sums,
    complete,
  };
}

type Singles = {
  requested: readonly TopologyWorkload[];
  clusterOf: ReadonlyMap<string, string>;
  byWorkload: ReadonlyMap<string, readonly string[]>;
};

/** The map of single workloads, with a peer for each network. */
function buildWorkloadMap(evaluated: EvaluatedConversations, { requested, clusterOf, byWorkload }: Singles) {
  const findStanding = (id: string) => {
    const cluster_id = clusterOf.get(id);
    return cluster_id === undefined ? null : { cluster_id, network_id: byWorkload.get(id)?.[0] ?? null };
  };
  return { groups: [], shown: requested, ...foldConversations(evaluated, findStanding, MAX_TOPOLOGY_EDGES) };
}
