import { setImmediate as breathe } from 'node:timers/promises';
import { HOURLY_HOURS, planRange } from '@/domain/flow/plan-range';
import { type Conversation, foldConversations, type ToldConversation } from '@/domain/topology/fold-conversations';
import {
  MAX_TOPOLOGY_EDGES,
  MAX_TOPOLOGY_WORKLOADS,
  type Topology,
  type TopologyInput,
  type TopologyNetwork,
  type TopologyWorkload,
} from '@/domain/topology/topology';
import type { Scope } from '../../auth/scope';
import { readBoard } from '../../enforcement/policies/board/read-board';
import { notFound } from '../../lib/refusals';
import { flowStore } from '../../traffic/storage/flow-store';
import { conversationVerdicts } from '../flows/conversation-verdicts';
import { selectFlows } from '../flows/list-flows';
import { listClusterNames, listTopologyCards, listTopologyWorkloads, type TopologyCard } from '../queries/topology';

/** Conversations that are judged before others get their turn. */
const CHUNK = 2_000;
const HOUR_MS = 3_600_000;

const networkId = ({ network_id, vlan_tag }: TopologyCard) =>
  vlan_tag === null ? network_id : `${network_id}.${vlan_tag}`;

/** Networks as the cards tell of them, and those of each workload without repetition. */
function networksOf(cards: readonly TopologyCard[], clusterOf: ReadonlyMap<string, string>) {
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

/** Judges many conversations, a chunk at a time. */
async function judgeAll(
  conversations: readonly Conversation[],
  judge: ReturnType<typeof conversationVerdicts>,
): Promise<ToldConversation[]> {
  const judged: ToldConversation[] = [];
  for (const conversation of conversations) {
    judged.push([conversation, judge(conversation)]);
    if (judged.length % CHUNK === 0) await breathe();
  }
  return judged;
}

/**
 * Who talks to whom in a time range, within reach: networks, workloads, what lies outside, and the conversations between them
 * with what becomes of them by the rules that were last read. At most twelve queries.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 * @throws AppError `malformed` when the range ends before it begins; `not_found` for a workload out of reach
 */
export async function readTopology(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: TopologyInput,
): Promise<Topology> {
  const { reach } = scope;
  const { selection, since, until, now, retentionHours } = await selectFlows(scope, input);
  const plan = planRange({ since, until }, { now, retentionHours, summed: true });
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const source = plan.source === 'hours' ? 'hours' : 'minutes';
  const [found, cards, clusters, conversations, board] = await Promise.all([
    listTopologyWorkloads(reach, input.cluster_id),
    listTopologyCards(reach, input.cluster_id),
    listClusterNames(),
    flowStore().edges({ ...selection, ...range }, source),
    readBoard(),
  ]);
  const clusterOf = new Map(found.map(({ id, cluster_id }) => [id, cluster_id]));
  if (input.workload_id !== undefined && !clusterOf.has(input.workload_id)) {
    throw notFound('workload');
  }
  const { networks, byWorkload } = networksOf(cards, clusterOf);
  const { workloads: inputs } = board.inputs;
  const judge = conversationVerdicts(board, { flows: reach, rules: rules?.reach ?? null });
  const { edges: folded, peers } = foldConversations(await judgeAll(conversations, judge), (id) => {
    const cluster_id = clusterOf.get(id);
    return cluster_id === undefined ? null : { cluster_id, network_id: byWorkload.get(id)?.[0] ?? null };
  });
  const heaviest = folded.slice(0, MAX_TOPOLOGY_EDGES);
  const met = new Set(heaviest.flatMap((edge) => [edge.source, edge.destination]));
  if (input.workload_id !== undefined) met.add(input.workload_id);
  const wanted = input.workload_id === undefined ? found : found.filter(({ id }) => met.has(id));
  const order = [...wanted.filter(({ id }) => met.has(id)), ...wanted.filter(({ id }) => !met.has(id))];
  const workloads = order.slice(0, MAX_TOPOLOGY_WORKLOADS).map(
    (workload): TopologyWorkload => ({
      ...workload,
      network_ids: byWorkload.get(workload.id) ?? [],
      addresses: [...(inputs.get(workload.id)?.addresses ?? [])],
    }),
  );
  const placed = new Set([...workloads, ...peers].map(({ id }) => id));
  const edges = heaviest.filter((edge) => placed.has(edge.source) && placed.has(edge.destination));
  const shown = new Set(workloads.flatMap(({ network_ids }) => network_ids));
  const here = new Set(workloads.map(({ cluster_id }) => cluster_id));
  return {
    ...range,
    source,
    kept_since: new Date(now - HOURLY_HOURS * HOUR_MS).toISOString(),
    clusters: clusters.filter(({ id }) => here.has(id)),
    networks: [...networks.values()].filter(({ id }) => shown.has(id)),
    workloads,
    peers: peers.filter(({ id }) => met.has(id)),
    edges,
    workloads_total: wanted.length,
    edges_total: folded.length,
  };
}
