import { MAX_SERVICE_WORKLOADS } from '../choices';
import { toVisibleCidr } from '../flow/flow-end';
import { mergeVerdicts, type SummedVerdict } from '../summed-verdict';
import type { ConversationTable, TableEnd, TableService } from './conversation-table';
import { EDGE_VERDICTS, type EdgeVerdict, WEIGHTS } from './edge-verdict';
import {
  MAX_EDGE_SERVICES,
  MAX_PEER_PREFIXES,
  type ServiceEnd,
  type TopologyEdge,
  type TopologyPeer,
  type TopologyService,
} from './topology';

/** Location of a workload: its cluster and the network of its first interface. */
export type Standing = { cluster_id: string; network_id: string | null };

/** Conversations, and of each row how the map shows it and the same three as of a flow. */
export type EvaluatedConversations = {
  readonly table: ConversationTable;
  readonly verdicts: readonly { readonly edge: EdgeVerdict; readonly verdict: SummedVerdict }[];
};

const ENDS = ['source', 'destination'] as const;

type Sums = { bytes: number; packets: number; flows: number };
type Seen = Sums & { last_seen: number };
type Peer = Omit<TopologyPeer, 'prefixes' | 'prefixes_total'> & { prefixes: Map<string, Sums> };
/** Who was seen at an end of a service, as long as it can be named: ids of workloads, or one prefix of what is none. Else null. */
type SeenEnd = { workloads: Set<string>; prefixes: Set<string> } | null;
/** Who was seen is kept where ends are named. */
type Service = Seen &
  Pick<TopologyService, 'protocol' | 'port'> & { ends: Record<'source' | 'destination', SeenEnd> | null };
type Edge = Seen &
  Pick<TopologyEdge, 'source' | 'destination' | 'verdict'> & { services: Map<number, Service>; summed: SummedVerdict };

function add(to: Sums, from: Sums): void {
  to.bytes += from.bytes;
  to.packets += from.packets;
  to.flows += from.flows;
}

function addRow(to: Sums, { bytes, packets, flows }: ConversationTable, row: number): void {
  to.bytes += bytes[row] as number;
  to.packets += packets[row] as number;
  to.flows += flows[row] as number;
}

function extend(to: Seen, table: ConversationTable, row: number): void {
  addRow(to, table, row);
  const last_seen = table.last_seen[row] as number;
  if (last_seen > to.last_seen) to.last_seen = last_seen;
}

const NOTHING: Readonly<Seen> = { bytes: 0, packets: 0, flows: 0, last_seen: 0 };

const toTime = (ms: number) => new Date(ms).toISOString();
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byWeight = (a: Sums, b: Sums) => b.bytes - a.bytes || b.flows - a.flows;

/** @param isKnown whether the end is a workload that may be named */
function extendEnd(seen: SeenEnd, { workload_id: id, prefix }: TableEnd, isKnown: boolean): SeenEnd {
  if (seen === null) return null;
  const { workloads, prefixes } = seen;
  if (isKnown && id !== null) workloads.add(id);
  else prefixes.add(prefix);
  const isNamed = prefixes.size === 0 ? workloads.size <= MAX_SERVICE_WORKLOADS : workloads.size + prefixes.size === 1;
  return isNamed ? seen : null;
}

function finishEnd(seen: SeenEnd): ServiceEnd {
  if (seen === null) return { workload_ids: [], prefix: null };
  const [prefix = null] = seen.prefixes;
  return { workload_ids: [...seen.workloads].sort(), prefix: prefix === null ? null : toVisibleCidr(prefix) };
}

const createEnd = (): SeenEnd => ({ workloads: new Set(), prefixes: new Set() });

function finishPrefixes(prefixes: ReadonlyMap<string, Sums>): Pick<TopologyPeer, 'prefixes' | 'prefixes_total'> {
  // A subnet that the reader may not see is not named.
  const list = [...prefixes].flatMap(([prefix, sums]) => (toVisibleCidr(prefix) === null ? [] : [{ prefix, ...sums }]));
  list.sort((a, b) => byWeight(a, b) || byText(a.prefix, b.prefix));
  return { prefixes: list.slice(0, MAX_PEER_PREFIXES), prefixes_total: list.length };
}

const finishPeer = ({ prefixes, ...peer }: Peer): TopologyPeer => ({ ...peer, ...finishPrefixes(prefixes) });

/** The heaviest edges, and how many there are of how much traffic. */
export type FoldedEdges = { edges: TopologyEdge[]; edges_total: number; sums: Sums };

function finishService({ ends, last_seen, ...service }: Service): TopologyService {
  const finished = { ...service, last_seen_at: toTime(last_seen) };
  return ends
    ? { ...finished, ends: { source: finishEnd(ends.source), destination: finishEnd(ends.destination) } }
    : finished;
}

function finishEdge({ services, summed, last_seen, ...edge }: Edge): TopologyEdge {
  const all = [...services.values()].sort(
    (a, b) => byWeight(a, b) || byText(a.protocol, b.protocol) || (a.port ?? -1) - (b.port ?? -1),
  );
  return {
    ...edge,
    last_seen_at: toTime(last_seen),
    ...summed,
    services: all.slice(0, MAX_EDGE_SERVICES).map(finishService),
    services_total: all.length,
  };
}

/** Sums up conversations by their two ends and verdict. */
class EdgeSums {
  readonly #table: ConversationTable;
  readonly #verdicts: EvaluatedConversations['verdicts'];
  readonly #isKnown: ((end: number) => boolean) | null;
  /** By source, then by destination and verdict. */
  readonly #edges = new Map<number, Map<number, Edge>>();
  readonly #nodes: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** Of each service of the table, a number that those of the same protocol and port share. */
  readonly #services: readonly number[];

  /** @param isKnown whether an end is a workload that is named as an end of a service; null: none is, because the ends of edges are workloads */
  constructor({ table, verdicts }: EvaluatedConversations, isKnown: ((end: number) => boolean) | null) {
    this.#table = table;
    this.#verdicts = verdicts;
    this.#isKnown = isKnown;
    const services = new Map<string, number>();
    this.#services = table.services.map(({ protocol, port }, number) => {
      const key = `${protocol} ${port}`;
      const known = services.get(key);
      if (known === undefined) services.set(key, number);
      return known ?? number;
    });
  }

  /** The number of a node at an end of edges. */
  numberOf(node: string): number {
    let number = this.#numbers.get(node);
    if (number === undefined) {
      number = this.#nodes.push(node) - 1;
      this.#numbers.set(node, number);
    }
    return number;
  }

  add(source: number, destination: number, row: number): void {
    const table = this.#table;
    const { edge: verdict, verdict: summed } = this.#verdicts[row] as EvaluatedConversations['verdicts'][number];
    let here = this.#edges.get(source);
    if (!here) {
      here = new Map();
      this.#edges.set(source, here);
    }
    const key = destination * EDGE_VERDICTS.length + WEIGHTS[verdict];
    let edge = here.get(key);
    if (!edge) {
      const ends = { source: this.#nodes[source] as string, destination: this.#nodes[destination] as string };
      edge = { ...ends, verdict, ...NOTHING, services: new Map(), summed };
      here.set(key, edge);
    } else edge.summed = mergeVerdicts(edge.summed, summed);
    extend(edge, table, row);
    const number = table.service[row] as number;
    const serviceKey = this.#services[number] as number;
    let service = edge.services.get(serviceKey);
    if (!service) {
      const { protocol, port } = table.services[number] as TableService;
      const ends = this.#isKnown && { source: createEnd(), destination: createEnd() };
      service = { protocol, port, ...NOTHING, ends };
      edge.services.set(serviceKey, service);
    }
    extend(service, table, row);
    for (const end of ENDS) if (service.ends?.[end]) this.#extendEnd(service.ends, end, table[end][row] as number);
  }

  #extendEnd(ends: NonNullable<Service['ends']>, end: (typeof ENDS)[number], number: number): void {
    const isKnown = this.#isKnown?.(number) ?? false;
    ends[end] = extendEnd(ends[end], this.#table.ends[number] as TableEnd, isKnown);
  }

  /** The weightiest verdict first, then the heaviest; not more than `most`. */
  finish(most: number): FoldedEdges {
    const all = [...this.#edges.values()].flatMap((here) => [...here.values()]);
    all.sort(
      (a, b) =>
        WEIGHTS[a.verdict] - WEIGHTS[b.verdict] ||
        byWeight(a, b) ||
        byText(a.source, b.source) ||
        byText(a.destination, b.destination),
    );
    const sums = { bytes: 0, packets: 0, flows: 0 };
    for (const edge of all) add(sums, edge);
    return { edges: all.slice(0, most).map(finishEdge), edges_total: all.length, sums };
  }
}

function addPrefix(prefixes: Map<string, Sums>, prefix: string, table: ConversationTable, row: number): void {
  let known = prefixes.get(prefix);
  if (!known) {
    known = { bytes: 0, packets: 0, flows: 0 };
    prefixes.set(prefix, known);
  }
  addRow(known, table, row);
}

/** Remembers something about ends by their number: most ends have many conversations. */
function remember<T>(ends: readonly TableEnd[], find: (end: TableEnd) => T): (number: number) => T {
  const known: T[] = new Array(ends.length);
  return (number) => {
    let found = known[number];
    if (found === undefined) {
      found = find(ends[number] as TableEnd);
      known[number] = found;
    }
    return found;
  };
}

/**
 * Edges between workloads and peers from conversations and their verdicts. Ends that are no known workload are one external
 * and one internal peer for each network whose workloads meet them. Edges come weightiest verdict first, then heaviest.
 * @param standingOf null for a workload that is not known (any more)
 * @param most edges that are returned; totals are of all
 */
export function foldConversations(
  conversations: EvaluatedConversations,
  standingOf: (workloadId: string) => Standing | null,
  most = Number.POSITIVE_INFINITY,
): FoldedEdges & { peers: TopologyPeer[] } {
  const { table } = conversations;
  const peers = new Map<string, Peer>();
  const edges = new EdgeSums(conversations, null);

  const addPeer = ({ prefix, internal }: TableEnd, { cluster_id, network_id }: Standing, row: number): number => {
    const kind = internal ? 'internal' : 'external';
    const id = `${kind}:${network_id ?? cluster_id}`;
    let peer = peers.get(id);
    if (!peer) {
      peer = { id, kind, cluster_id, network_id, prefixes: new Map() };
      peers.set(id, peer);
    }
    addPrefix(peer.prefixes, prefix, table, row);
    return edges.numberOf(id);
  };
  const findKnown = remember(table.ends, ({ workload_id: id }) => {
    const standing = id === null ? null : standingOf(id);
    return standing && id !== null ? { node: edges.numberOf(id), standing } : null;
  });

  for (let row = 0; row < table.size; row++) {
    const [from, to] = [table.source[row] as number, table.destination[row] as number];
    const [caller, service] = [findKnown(from), findKnown(to)];
    const standing = caller?.standing ?? service?.standing;
    if (!standing) continue;
    const source = caller?.node ?? addPeer(table.ends[from] as TableEnd, standing, row);
    const destination = service?.node ?? addPeer(table.ends[to] as TableEnd, standing, row);
    edges.add(source, destination, row);
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
  conversations: EvaluatedConversations,
  nodeOf: (workloadId: string) => string | null,
  most = Number.POSITIVE_INFINITY,
): FoldedEdges & { outside: Outside[] } {
  const { table } = conversations;
  const outside = { external: new Map<string, Sums>(), internal: new Map<string, Sums>() };
  const edges = new EdgeSums(conversations, (end): boolean => findPlace(end).prefixes === null);
  const findPlace = remember(table.ends, ({ workload_id: id, prefix, internal }) => {
    const node = id === null ? null : nodeOf(id);
    const kind = internal ? 'internal' : 'external';
    return { node: edges.numberOf(node ?? kind), prefixes: node === null ? outside[kind] : null, prefix };
  });
  const addEnd = (end: number, row: number): number => {
    const { node, prefixes, prefix } = findPlace(end);
    if (prefixes) addPrefix(prefixes, prefix, table, row);
    return node;
  };
  for (let row = 0; row < table.size; row++)
    edges.add(addEnd(table.source[row] as number, row), addEnd(table.destination[row] as number, row), row);
  return {
    outside: (['external', 'internal'] as const)
      .filter((kind) => outside[kind].size > 0)
      .map((kind) => ({ kind, ...finishPrefixes(outside[kind]) })),
    ...edges.finish(most),
  };
}
