import { MAX_SERVICE_WORKLOADS } from '../choices';
import { toVisibleCidr } from '../flow/flow-end';
import { mergeVerdicts, type SummedVerdict } from '../summed-verdict';
import { EDGE_VERDICTS, type EdgeVerdict } from './edge-verdict';
import {
  MAX_EDGE_SERVICES,
  MAX_PEER_PREFIXES,
  type ServiceEnd,
  type TopologyEdge,
  type TopologyPeer,
  type TopologyService,
} from './topology';

/** Traffic that one end opened to another, by service and verdict of the flows. An end without a workload is its prefix. */
export type Conversation = {
  source_workload_id: string | null;
  source_prefix: string;
  source_internal: boolean;
  destination_workload_id: string | null;
  destination_prefix: string;
  destination_internal: boolean;
  protocol: string;
  port: number | null;
  decision: string;
  /** Replies were seen. Left out of rollups per minute and hour, which do not record it. */
  answered?: boolean;
  bytes: number;
  packets: number;
  flows: number;
  last_seen_at: string;
};

/** Location of a workload: its cluster and the network of its first interface. */
export type Standing = { cluster_id: string; network_id: string | null };

type Sums = Pick<Conversation, 'bytes' | 'packets' | 'flows'>;
type Peer = Omit<TopologyPeer, 'prefixes' | 'prefixes_total'> & { prefixes: Map<string, Sums> };
/** Who was seen at both ends of a service: ids of workloads, and prefixes of what is none. */
type Seen = Record<'source' | 'destination', { workloads: Set<string>; prefixes: Set<string> }>;
/** Who was seen is kept where ends are named. */
type Service = TopologyService & { seen?: Seen };
type Edge = Pick<TopologyEdge, 'source' | 'destination' | 'verdict' | 'last_seen_at'> &
  Sums & {
    services: Map<string, Service>;
    summed: SummedVerdict;
  };

/** A conversation with how the map shows it and the same three as of a flow. */
export type EvaluatedConversation = readonly [
  Conversation,
  { readonly edge: EdgeVerdict; readonly verdict: SummedVerdict },
];

function add(to: Sums, from: Sums): void {
  to.bytes += from.bytes;
  to.packets += from.packets;
  to.flows += from.flows;
}

function extend(to: Sums & { last_seen_at: string }, from: Conversation): void {
  add(to, from);
  if (from.last_seen_at > to.last_seen_at) to.last_seen_at = from.last_seen_at;
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byWeight = (a: Sums, b: Sums) => b.bytes - a.bytes || b.flows - a.flows;

const emptySeen = (): Seen => ({
  source: { workloads: new Set(), prefixes: new Set() },
  destination: { workloads: new Set(), prefixes: new Set() },
});

function finishEnd({ workloads, prefixes }: Seen['source']): ServiceEnd {
  const isNamed = prefixes.size === 0 && workloads.size <= MAX_SERVICE_WORKLOADS;
  const [only = null] = workloads.size === 0 && prefixes.size === 1 ? prefixes : [];
  return { workload_ids: isNamed ? [...workloads].sort() : [], prefix: only === null ? null : toVisibleCidr(only) };
}

const finishService = ({ seen, ...service }: Service): TopologyService =>
  seen ? { ...service, ends: { source: finishEnd(seen.source), destination: finishEnd(seen.destination) } } : service;

function finishEdge({ services, summed, ...edge }: Edge): TopologyEdge {
  const all = [...services.values()].sort(
    (a, b) => byWeight(a, b) || byText(a.protocol, b.protocol) || (a.port ?? -1) - (b.port ?? -1),
  );
  return {
    ...edge,
    ...summed,
    services: all.slice(0, MAX_EDGE_SERVICES).map(finishService),
    services_total: all.length,
  };
}

function finishPrefixes(prefixes: ReadonlyMap<string, Sums>): Pick<TopologyPeer, 'prefixes' | 'prefixes_total'> {
  // A subnet that the reader may not see is not named.
  const list = [...prefixes].flatMap(([prefix, sums]) => (toVisibleCidr(prefix) === null ? [] : [{ prefix, ...sums }]));
  list.sort((a, b) => byWeight(a, b) || byText(a.prefix, b.prefix));
  return { prefixes: list.slice(0, MAX_PEER_PREFIXES), prefixes_total: list.length };
}

const finishPeer = ({ prefixes, ...peer }: Peer): TopologyPeer => ({ ...peer, ...finishPrefixes(prefixes) });

const WEIGHTS = Object.fromEntries(EDGE_VERDICTS.map((verdict, weight) => [verdict, weight])) as Record<
  EdgeVerdict,
  number
>;

/** The heaviest edges, and how many there are of how much traffic. */
export type FoldedEdges = { edges: TopologyEdge[]; edges_total: number; sums: Sums };

/**
 * Sums up conversations by their two ends and verdict.
 * @param isKnown whether a workload is named as an end of a service; undefined: none is, because the ends of edges are workloads
 */
function edgeSums(isKnown?: (workloadId: string) => boolean) {
  const edges = new Map<string, Edge>();
  return {
    add(
      source: string,
      destination: string,
      [conversation, { edge: verdict, verdict: summed }]: EvaluatedConversation,
    ): void {
      const { protocol, port, bytes, packets, flows, last_seen_at } = conversation;
      const key = `${source} ${destination} ${verdict}`;
      let edge = edges.get(key);
      if (!edge) {
        const services = new Map<string, Service>();
        edge = { source, destination, verdict, bytes, packets, flows, last_seen_at, services, summed };
        edges.set(key, edge);
      } else {
        edge.summed = mergeVerdicts(edge.summed, summed);
        extend(edge, conversation);
      }
      const serviceKey = `${protocol} ${port}`;
      let service = edge.services.get(serviceKey);
      if (!service) {
        service = { protocol, port, bytes, packets, flows, last_seen_at, ...(isKnown && { seen: emptySeen() }) };
        edge.services.set(serviceKey, service);
      } else extend(service, conversation);
      if (!isKnown || !service.seen) return;
      for (const end of ['source', 'destination'] as const) {
        const id = conversation[`${end}_workload_id`];
        if (id !== null && isKnown(id)) service.seen[end].workloads.add(id);
        else service.seen[end].prefixes.add(conversation[`${end}_prefix`]);
      }
    },
    /** The weightiest verdict first, then the heaviest; not more than `most`. */
    finish(most: number): FoldedEdges {
      const all = [...edges.values()].sort(
        (a, b) =>
          WEIGHTS[a.verdict] - WEIGHTS[b.verdict] ||
          byWeight(a, b) ||
          byText(a.source, b.source) ||
          byText(a.destination, b.destination),
      );
      const sums = { bytes: 0, packets: 0, flows: 0 };
      for (const edge of all) add(sums, edge);
      return { edges: all.slice(0, most).map(finishEdge), edges_total: all.length, sums };
    },
  };
}

function addPrefix(prefixes: Map<string, Sums>, prefix: string, from: Sums): void {
  const known = prefixes.get(prefix);
  const { bytes, packets, flows } = from;
  if (known) add(known, from);
  else prefixes.set(prefix, { bytes, packets, flows });
}

/**
 * Edges between workloads and peers from conversations and their verdicts. Ends that are no known workload are one external
 * and one internal peer for each network whose workloads meet them. Edges come weightiest verdict first, then heaviest.
 * @param standingOf null for a workload that is not known (any more)
 * @param most edges that are returned; totals are of all
 */
export function foldConversations(
  conversations: Iterable<EvaluatedConversation>,
  standingOf: (workloadId: string) => Standing | null,
  most = Number.POSITIVE_INFINITY,
): FoldedEdges & { peers: TopologyPeer[] } {
  const peers = new Map<string, Peer>();
  const edges = edgeSums();

  const addPeer = (conversation: Conversation, end: 'source' | 'destination', { cluster_id, network_id }: Standing) => {
    const kind = conversation[`${end}_internal`] ? 'internal' : 'external';
    const id = `${kind}:${network_id ?? cluster_id}`;
    let peer = peers.get(id);
    if (!peer) {
      peer = { id, kind, cluster_id, network_id, prefixes: new Map() };
      peers.set(id, peer);
    }
    addPrefix(peer.prefixes, conversation[`${end}_prefix`], conversation);
    return id;
  };

  for (const evaluated of conversations) {
    const [conversation] = evaluated;
    const [from, to] = (['source', 'destination'] as const).map((end) => {
      const id = conversation[`${end}_workload_id`];
      const standing = id === null ? null : standingOf(id);
      return standing && id !== null ? { id, standing } : null;
    });
    const standing = from?.standing ?? to?.standing;
    if (!standing) continue;
    const source = from?.id ?? addPeer(conversation, 'source', standing);
    const destination = to?.id ?? addPeer(conversation, 'destination', standing);
    edges.add(source, destination, evaluated);
  }
  return {
    peers: [...peers.values()].map(finishPeer).sort((a, b) => byText(a.id, b.id)),
    ...edges.finish(most),
  };
}

/** What is outside of all groups; each exists once. */
export type Outside = Pick<TopologyPeer, 'prefixes' | 'prefixes_total'> & { kind: TopologyPeer['kind'] };

/**
 * Edges between nodes, each with any number of workloads, and what is outside. Every conversation is in exactly one
 * edge: however workloads are grouped, all edges add up to the same.
 * @param nodeOf null for a workload that is not known (any more)
 * @param most edges that are returned; totals are of all
 */
export function foldGroups(
  conversations: Iterable<EvaluatedConversation>,
  nodeOf: (workloadId: string) => string | null,
  most = Number.POSITIVE_INFINITY,
): FoldedEdges & { outside: Outside[] } {
  const outside = { external: new Map<string, Sums>(), internal: new Map<string, Sums>() };
  const edges = edgeSums((id) => nodeOf(id) !== null);
  const addEnd = (conversation: Conversation, end: 'source' | 'destination'): string => {
    const id = conversation[`${end}_workload_id`];
    const node = id === null ? null : nodeOf(id);
    if (node !== null) return node;
    const kind = conversation[`${end}_internal`] ? 'internal' : 'external';
    addPrefix(outside[kind], conversation[`${end}_prefix`], conversation);
    return kind;
  };
  for (const evaluated of conversations)
    edges.add(addEnd(evaluated[0], 'source'), addEnd(evaluated[0], 'destination'), evaluated);
  return {
    outside: (['external', 'internal'] as const)
      .filter((kind) => outside[kind].size > 0)
      .map((kind) => ({ kind, ...finishPrefixes(outside[kind]) })),
    ...edges.finish(most),
  };
}
