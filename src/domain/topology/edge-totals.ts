import { MAX_SERVICE_WORKLOADS } from '../choices';
import { toVisibleCidr } from '../flow/flow-end';
import { type SummedVerdict, VerdictTotal } from '../summed-verdict';
import type { ConversationTable, TableEnd, TableService } from './conversation-table';
import { EDGE_VERDICTS, type EdgeVerdict, WEIGHTS } from './edge-verdict';
import { MAX_EDGE_SERVICES, type ServiceEnd, type TopologyEdge, type TopologyService } from './topology';
import { PairNumbers, type Traffic, TrafficTotals } from './traffic-totals';

/** Conversations, and of each row how the map shows it and the same three as of a flow. */
export type EvaluatedConversations = {
  readonly table: ConversationTable;
  readonly verdicts: readonly { readonly edge: EdgeVerdict; readonly verdict: SummedVerdict }[];
};

/** The heaviest edges, and how many there are of how much traffic. */
export type FoldedEdges = { edges: TopologyEdge[]; edges_total: number; sums: Traffic };

const ENDS = ['source', 'destination'] as const;
const KINDS = EDGE_VERDICTS.length;

/** Who was seen at an end of a service, as long as it can be named: ids of workloads, or one prefix of what is none. Else null. */
type SeenEnd = { workloads: Set<string>; prefixes: Set<string> } | null;
type SeenEnds = Record<(typeof ENDS)[number], SeenEnd>;

const createEnd = (): SeenEnd => ({ workloads: new Set(), prefixes: new Set() });

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

const toTime = (ms: number | undefined) => new Date(ms ?? 0).toISOString();
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Of each service, the number of the first one with the same protocol and port. */
function numberServices(services: readonly TableService[]): Uint32Array {
  const first = new Map<string, number>();
  return Uint32Array.from(services, ({ protocol, port }, number) => {
    const key = `${protocol} ${port}`;
    if (!first.has(key)) first.set(key, number);
    return first.get(key) ?? number;
  });
}

/** Adds up conversations by their two ends and verdict, and of these by service. Objects are made only for what is returned. */
export class EdgeTotals {
  readonly #conversations: EvaluatedConversations;
  readonly #isKnown: ((end: number) => boolean) | null;
  readonly #nodes: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #serviceNumbers: Uint32Array;
  /** Source, and destination with verdict. */
  readonly #edges = new PairNumbers();
  readonly #edgeTotals = new TrafficTotals();
  /** Edge and service. */
  readonly #parts = new PairNumbers();
  readonly #partTotals = new TrafficTotals();
  /** Of each row, the part it is added to, plus one; 0: to none. */
  readonly #partOf: Uint32Array;

  /** @param isKnown whether an end is a workload that is named as an end of a service; null: none is, because the ends of edges are workloads */
  constructor(conversations: EvaluatedConversations, isKnown: ((end: number) => boolean) | null) {
    this.#conversations = conversations;
    this.#isKnown = isKnown;
    this.#serviceNumbers = numberServices(conversations.table.services);
    this.#partOf = new Uint32Array(conversations.table.size);
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
    const { table, verdicts } = this.#conversations;
    const weight = WEIGHTS[(verdicts[row] as EvaluatedConversations['verdicts'][number]).edge];
    const edge = this.#edges.numberOf(source, destination * KINDS + weight);
    this.#edgeTotals.add(edge, table, row);
    const part = this.#parts.numberOf(edge, this.#serviceNumbers[table.service[row] as number] as number);
    this.#partTotals.add(part, table, row);
    this.#partOf[row] = part + 1;
  }

  /** The weightiest verdict first, then the heaviest; not more than `most`. */
  finish(most: number): FoldedEdges {
    const numbers = this.#listHeaviest(most);
    const parts = this.#listParts(numbers);
    const listed = parts.map((all) => all.slice(0, MAX_EDGE_SERVICES));
    const { summed, ends } = this.#describe(numbers, listed);
    const edges = numbers.map((number, i): TopologyEdge => {
      const { last_seen } = this.#edgeTotals;
      return {
        source: this.#sourceOf(number),
        destination: this.#destinationOf(number),
        verdict: EDGE_VERDICTS[this.#weightOf(number)] as EdgeVerdict,
        ...this.#edgeTotals.read(number),
        last_seen_at: toTime(last_seen[number]),
        ...(summed[i] as SummedVerdict),
        services: (listed[i] ?? []).map((part) => this.#finishService(part, ends.get(part))),
        services_total: (parts[i] ?? []).length,
      };
    });
    const sums = { bytes: 0, packets: 0, flows: 0 };
    for (let number = 0; number < this.#edges.size; number++) {
      const { bytes, packets, flows } = this.#edgeTotals.read(number);
      sums.bytes += bytes;
      sums.packets += packets;
      sums.flows += flows;
    }
    return { edges, edges_total: this.#edges.size, sums };
  }

  #sourceOf = (edge: number) => this.#nodes[this.#edges.one[edge] as number] as string;
  #destinationOf = (edge: number) => this.#nodes[Math.floor((this.#edges.other[edge] as number) / KINDS)] as string;
  #weightOf = (edge: number) => (this.#edges.other[edge] as number) % KINDS;
  #serviceOf = (part: number) => this.#conversations.table.services[this.#parts.other[part] as number] as TableService;

  /** Edges in their order. Only those that may be among the first `most` are sorted. */
  #listHeaviest(most: number): number[] {
    const byWeight: number[][] = EDGE_VERDICTS.map(() => []);
    for (let edge = 0; edge < this.#edges.size; edge++) byWeight[this.#weightOf(edge)]?.push(edge);
    let rest = most;
    return byWeight.flatMap((all) => {
      const heaviest = this.#selectHeaviest(all, rest).sort(
        (a, b) =>
          this.#edgeTotals.compare(a, b) ||
          byText(this.#sourceOf(a), this.#sourceOf(b)) ||
          byText(this.#destinationOf(a), this.#destinationOf(b)),
      );
      const taken = heaviest.slice(0, rest);
      rest -= taken.length;
      return taken;
    });
  }

  /** At least the `most` with the most bytes. */
  #selectHeaviest(edges: number[], most: number): number[] {
    if (edges.length <= most) return edges;
    const { bytes } = this.#edgeTotals;
    const least = Float64Array.from(edges, (edge) => bytes[edge] as number).sort()[edges.length - most];
    return least === undefined ? [] : edges.filter((edge) => (bytes[edge] as number) >= least);
  }

  /** The parts of each of these edges, heaviest first. */
  #listParts(edges: readonly number[]): number[][] {
    const placeOf = new Uint32Array(this.#edges.size);
    for (const [i, edge] of edges.entries()) placeOf[edge] = i + 1;
    const found: number[][] = edges.map(() => []);
    for (let part = 0; part < this.#parts.size; part++) {
      const place = placeOf[this.#parts.one[part] as number] as number;
      if (place > 0) found[place - 1]?.push(part);
    }
    for (const parts of found) parts.sort((a, b) => this.#compareParts(a, b));
    return found;
  }

  #compareParts(a: number, b: number): number {
    const [one, other] = [this.#serviceOf(a), this.#serviceOf(b)];
    return (
      this.#partTotals.compare(a, b) || byText(one.protocol, other.protocol) || (one.port ?? -1) - (other.port ?? -1)
    );
  }

  /** What cannot be added up in columns, for these edges and parts alone. */
  #describe(edges: readonly number[], listed: readonly (readonly number[])[]) {
    const { table, verdicts } = this.#conversations;
    /** Of each edge, its place among these plus one; 0: it is none of them. */
    const placeOf = new Uint32Array(this.#edges.size);
    for (const [i, edge] of edges.entries()) placeOf[edge] = i + 1;
    const totals: VerdictTotal[] = [];
    const ends = new Map<number, SeenEnds>();
    const hasEnds = new Uint8Array(this.#parts.size);
    if (this.#isKnown) {
      for (const part of listed.flat()) {
        ends.set(part, { source: createEnd(), destination: createEnd() });
        hasEnds[part] = 1;
      }
    }
    for (let row = 0; row < table.size; row++) {
      const part = (this.#partOf[row] as number) - 1;
      const edge = this.#parts.one[part];
      const place = edge === undefined ? 0 : (placeOf[edge] as number);
      if (part < 0 || place === 0) continue;
      const { verdict } = verdicts[row] as EvaluatedConversations['verdicts'][number];
      const known = totals[place - 1];
      if (known) known.add(verdict);
      else totals[place - 1] = new VerdictTotal(verdict);
      const seen = hasEnds[part] === 1 ? ends.get(part) : undefined;
      if (seen) this.#extendEnds(seen, row);
    }
    return { summed: totals.map((total) => total.finish()), ends };
  }

  #extendEnds(seen: SeenEnds, row: number): void {
    const { table } = this.#conversations;
    for (const end of ENDS) {
      if (seen[end] === null) continue;
      const number = table[end][row] as number;
      seen[end] = extendEnd(seen[end], table.ends[number] as TableEnd, this.#isKnown?.(number) ?? false);
    }
  }

  #finishService(part: number, ends: SeenEnds | undefined): TopologyService {
    const { protocol, port } = this.#serviceOf(part);
    return {
      ...{ protocol, port },
      ...this.#partTotals.read(part),
      last_seen_at: toTime(this.#partTotals.last_seen[part]),
      ...(ends && { ends: { source: finishEnd(ends.source), destination: finishEnd(ends.destination) } }),
    };
  }
}
