import { toVisibleCidr } from '../flow/flow-end';
import type { ConversationTable, TableEnd } from './conversation-table';
import { EdgeTotals, type EvaluatedConversations, type FoldedEdges } from './edge-totals';
import { MAX_PEER_PREFIXES, type TopologyPeer } from './topology';
import { PairNumbers, TrafficTotals } from './traffic-totals';

/** Location of a workload: its cluster and the network of its first interface. */
export type Standing = { cluster_id: string; network_id: string | null };

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

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

/** Traffic of prefixes by what they are a part of: a peer, or what is outside. */
class PrefixTotals {
  readonly #table: ConversationTable;
  readonly #prefixes: string[] = [];
  readonly #numberOf: (end: number) => number;
  /** Whole and prefix. */
  readonly #parts = new PairNumbers();
  readonly #totals = new TrafficTotals();

  constructor(table: ConversationTable) {
    this.#table = table;
    const numbers = new Map<string, number>();
    this.#numberOf = remember(table.ends, ({ prefix }) => {
      const number = numbers.get(prefix) ?? this.#prefixes.push(prefix) - 1;
      numbers.set(prefix, number);
      return number;
    });
  }

  add(whole: number, end: number, row: number): void {
    this.#totals.add(this.#parts.numberOf(whole, this.#numberOf(end)), this.#table, row);
  }

  /** The prefixes of everything that has some, heaviest first. */
  finish(): Map<number, Pick<TopologyPeer, 'prefixes' | 'prefixes_total'>> {
    const { one, other, size } = this.#parts;
    const readName = (part: number) => this.#prefixes[other[part] as number] as string;
    const wholes = new Map<number, number[]>();
    for (let part = 0; part < size; part++) {
      const whole = one[part] as number;
      const parts = wholes.get(whole) ?? [];
      wholes.set(whole, parts);
      // A subnet that the reader may not see is not named.
      if (toVisibleCidr(readName(part)) !== null) parts.push(part);
    }
    const finish = (parts: number[]) => ({
      prefixes: parts
        .sort((a, b) => this.#totals.compare(a, b) || byText(readName(a), readName(b)))
        .slice(0, MAX_PEER_PREFIXES)
        .map((part) => ({ prefix: readName(part), ...this.#totals.read(part) })),
      prefixes_total: parts.length,
    });
    return new Map([...wholes].map(([whole, parts]) => [whole, finish(parts)]));
  }
}

type Peer = Omit<TopologyPeer, 'prefixes' | 'prefixes_total'>;

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
  const peers = new Map<number, Peer>();
  const edges = new EdgeTotals(conversations, null);
  const prefixes = new PrefixTotals(table);

  const findPeer = (kind: Peer['kind'], { cluster_id, network_id }: Standing): number => {
    const id = `${kind}:${network_id ?? cluster_id}`;
    const node = edges.numberOf(id);
    if (!peers.has(node)) peers.set(node, { id, kind, cluster_id, network_id });
    return node;
  };
  type Known = { node: number; standing: Standing; internal?: number; external?: number };
  const findKnown = remember(table.ends, ({ workload_id: id }): Known | null => {
    const standing = id === null ? null : standingOf(id);
    return standing && id !== null ? { node: edges.numberOf(id), standing } : null;
  });
  const addPeer = (end: number, met: Known, row: number): number => {
    const kind = table.ends[end]?.internal ? 'internal' : 'external';
    met[kind] ??= findPeer(kind, met.standing);
    prefixes.add(met[kind], end, row);
    return met[kind];
  };

  for (let row = 0; row < table.size; row++) {
    const [from, to] = [table.source[row] as number, table.destination[row] as number];
    const [caller, service] = [findKnown(from), findKnown(to)];
    const met = caller ?? service;
    if (!met) continue;
    edges.add(caller?.node ?? addPeer(from, met, row), service?.node ?? addPeer(to, met, row), row);
  }
  const none = { prefixes: [], prefixes_total: 0 };
  const found = prefixes.finish();
  return {
    peers: [...peers]
      .map(([node, peer]) => ({ ...peer, ...(found.get(node) ?? none) }))
      .sort((a, b) => byText(a.id, b.id)),
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
  const prefixes = new PrefixTotals(table);
  const edges = new EdgeTotals(conversations, (end): boolean => findPlace(end).isKnown);
  const findPlace = remember(table.ends, ({ workload_id: id, internal }) => {
    const node = id === null ? null : nodeOf(id);
    return { node: edges.numberOf(node ?? (internal ? 'internal' : 'external')), isKnown: node !== null };
  });
  const addEnd = (end: number, row: number): number => {
    const { node, isKnown } = findPlace(end);
    if (!isKnown) prefixes.add(node, end, row);
    return node;
  };
  for (let row = 0; row < table.size; row++)
    edges.add(addEnd(table.source[row] as number, row), addEnd(table.destination[row] as number, row), row);
  const found = prefixes.finish();
  return {
    outside: (['external', 'internal'] as const).flatMap((kind) => {
      const named = found.get(edges.numberOf(kind));
      return named ? [{ kind, ...named }] : [];
    }),
    ...edges.finish(most),
  };
}
