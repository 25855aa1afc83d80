import { formatService, type Peer, type Talk } from './classify';

/**
 * Positions of the slider, from few broad rules to many tight ones: what a group or rule counts, compared with access that it gives and
 * that was not used. 1 is the shortest description of what was seen; 0 gives no workload what another one used.
 */
export const RULE_WEIGHTS = [120, 40, 15, 5, 1, 0.5, 0.25, 0.1, 0] as const;

/** What a rule and a group cost at weight 1, in natural units of information. */
const RULE_COST = 4;
const GROUP_COST = 3;
/** Less is rounding. */
const LEAST_SAVING = 1e-6;

/** Groups of workloads, by their numbers. */
export type Partition = readonly (readonly number[])[];

type Edge = { readonly client: number; readonly server: number; readonly service: number };

/** Workloads and the other ends of their conversations, numbered: workloads first. */
type Graph = {
  readonly workloads: number;
  readonly nodes: number;
  readonly edges: readonly Edge[];
  /** Workloads of the scope and others never share a group: rules are suggested for the former only. */
  readonly inScope: readonly boolean[];
};

function buildGraph(talks: readonly Talk[], ids: readonly string[], isInScope: (id: string) => boolean): Graph {
  const numbers = new Map(ids.map((id, at) => [id, at]));
  const services = new Map<string, number>();
  const getNumber = (map: Map<string, number>, key: string) => {
    const known = map.get(key);
    if (known !== undefined) return known;
    map.set(key, map.size);
    return map.size - 1;
  };
  // All of outside is one end here: which prefixes a service is used from says little about who serves it.
  const toKey = ({ workload_id, ip, external }: Peer) => workload_id ?? (external ? 'outside' : ip);
  const seen = new Set<string>();
  const edges: Edge[] = [];
  for (const { client, server, service, conversations } of talks) {
    if (conversations === 0) continue;
    const edge = {
      client: getNumber(numbers, toKey(client)),
      server: getNumber(numbers, toKey(server)),
      service: getNumber(services, formatService(service)),
    };
    const key = `${edge.client} ${edge.server} ${edge.service}`;
    if (seen.has(key)) continue;
    seen.add(key);
    edges.push(edge);
  }
  return { workloads: ids.length, nodes: numbers.size, edges, inScope: ids.map(isInScope) };
}

const CLIENT = 0;
const SERVER = 1;

/** What a group was seen to do: sorted numbers of role, service and other group, and how many pairs were seen of each. */
type Behavior = { readonly keys: Int32Array; readonly seen: Int32Array; readonly services: ReadonlySet<number> };

/** `n ln n`, which is asked for very often. */
const LOGS: number[] = [0, 0];
function nLogN(n: number): number {
  if (n >= 4_000_000) return n * Math.log(n);
  for (let next = LOGS.length; next <= n; next++) LOGS.push(next * Math.log(next));
  return LOGS[n] as number;
}

/** Information needed to say which of `all` possible pairs were seen, when `seen` were, with what the rule for them costs. */
const cost = (seen: number, all: number, rule: number): number =>
  seen >= all ? rule : rule + nLogN(all) - nLogN(seen) - nLogN(all - seen);

class Clusters {
  readonly #graph: Graph;
  /** The group of each node: the smallest number in it. Ends that are no workloads are groups of their own. */
  readonly #of: Int32Array;
  #sizes: Int32Array;
  #behaviors: ReadonlyMap<number, Behavior>;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#of = Int32Array.from({ length: graph.nodes }, (_, at) => at);
    this.#sizes = this.#countSizes();
    this.#behaviors = this.#readBehaviors();
  }

  #countSizes(): Int32Array {
    const sizes = new Int32Array(this.#graph.nodes);
    for (const group of this.#of) sizes[group] = (sizes[group] as number) + 1;
    return sizes;
  }

  #readBehaviors(): ReadonlyMap<number, Behavior> {
    const { nodes, edges } = this.#graph;
    const found = new Map<number, Map<number, number>>();
    const add = (group: number, role: number, service: number, other: number) => {
      const known = found.get(group) ?? new Map<number, number>();
      const key = (service * nodes + other) * 2 + role;
      found.set(group, known.set(key, (known.get(key) ?? 0) + 1));
    };
    for (const { client, server, service } of edges) {
      const [from, to] = [this.#of[client] as number, this.#of[server] as number];
      add(from, CLIENT, service, to);
      add(to, SERVER, service, from);
    }
    return new Map(
      [...found].map(([group, features]) => {
        const keys = Int32Array.from(features.keys()).sort();
        const seen = keys.map((key) => features.get(key) ?? 0);
        const services = new Set([...keys].map((key) => Math.floor((key >> 1) / nodes) * 2 + (key & 1)));
        return [group, { keys, seen, services }];
      }),
    );
  }

  #pairs(a: number, b: number): number {
    const [x, y] = [this.#sizes[a] as number, this.#sizes[b] as number];
    return a === b ? x * (x - 1) : x * y;
  }

  /** What all that a group was seen to do costs; what it does within itself once. */
  #costOf(group: number, rule: number): number {
    const { keys, seen } = this.#behaviors.get(group) as Behavior;
    const { nodes } = this.#graph;
    let sum = 0;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      const other = (key >> 1) % nodes;
      if (other === group && (key & 1) === SERVER) continue;
      sum += cost(seen[at] as number, this.#pairs(group, other), rule);
    }
    return sum;
  }

  /** What all that two groups were seen to do would cost as that of one, less what is counted twice while they are two. */
  #costTogether(a: number, b: number, rule: number, most: number): number {
    const [one, two] = [this.#behaviors.get(a) as Behavior, this.#behaviors.get(b) as Behavior];
    const size = (this.#sizes[a] as number) + (this.#sizes[b] as number);
    const { nodes } = this.#graph;
    /** Pairs between the two, and within each, by service. */
    let inner: Map<number, number> | null = null;
    let sum = 0;
    let [i, j] = [0, 0];
    const { length: first } = one.keys;
    const { length: second } = two.keys;
    while (i < first || j < second) {
      const left = i < first ? (one.keys[i] as number) : Number.POSITIVE_INFINITY;
      const right = j < second ? (two.keys[j] as number) : Number.POSITIVE_INFINITY;
      const key = Math.min(left, right);
      const fromOne = left === key ? (one.seen[i++] as number) : 0;
      const fromTwo = right === key ? (two.seen[j++] as number) : 0;
      const other = (key >> 1) % nodes;
      if (other !== a && other !== b) {
        sum += cost(fromOne + fromTwo, size * (this.#sizes[other] as number), rule);
        if (sum > most) return sum;
      } else if ((key & 1) === CLIENT) {
        const service = Math.floor((key >> 1) / nodes);
        inner ??= new Map();
        inner.set(service, (inner.get(service) ?? 0) + fromOne + fromTwo);
        // Of what one group does to the other, both costs have a share.
        const between = other === a ? fromTwo : fromOne;
        if (between > 0) sum += cost(between, this.#pairs(a, b), rule);
      }
    }
    for (const seen of inner?.values() ?? []) sum += cost(seen, size * (size - 1), rule);
    return sum;
  }

  #haveCommonService(a: number, b: number): boolean {
    const [one, two] = [this.#behaviors.get(a)?.services, this.#behaviors.get(b)?.services];
    if (!one || !two) return false;
    const [few, many] = one.size < two.size ? [one, two] : [two, one];
    for (const service of few) if (many.has(service)) return true;
    return false;
  }

  #listGroups(): number[] {
    const { workloads } = this.#graph;
    return [...new Set(this.#of.subarray(0, workloads))].filter((group) => this.#behaviors.has(group));
  }

  /** The other group with which each saves most, if merging them saves anything. */
  #findPartners(weight: number): ReadonlyMap<number, number> {
    const { inScope } = this.#graph;
    const rule = weight * RULE_COST;
    const groups = this.#listGroups();
    const costs = groups.map((group) => this.#costOf(group, rule));
    const best = new Map<number, { readonly group: number; readonly saved: number }>();
    const note = (group: number, other: number, saved: number) => {
      if (saved > (best.get(group)?.saved ?? LEAST_SAVING)) best.set(group, { group: other, saved });
    };
    for (const [at, a] of groups.entries()) {
      for (let next = at + 1; next < groups.length; next++) {
        const b = groups[next] as number;
        if (inScope[a] !== inScope[b] || !this.#haveCommonService(a, b)) continue;
        const apart = (costs[at] as number) + (costs[next] as number) + weight * GROUP_COST;
        const saved = apart - this.#costTogether(a, b, rule, apart);
        note(a, b, saved);
        note(b, a, saved);
      }
    }
    return new Map([...best].map(([group, { group: other }]) => [group, other]));
  }

  /** Merges groups that are each other's best partner, as long as that saves anything. */
  async settle(weight: number, pause: () => Promise<void>): Promise<void> {
    for (;;) {
      await pause();
      const partners = this.#findPartners(weight);
      if (partners.size === 0) return;
      const into = new Map<number, number>();
      for (const [group, other] of partners) {
        if (group < other && partners.get(other) === group) into.set(other, group);
      }
      for (const [at, group] of this.#of.entries()) this.#of[at] = into.get(group) ?? group;
      this.#sizes = this.#countSizes();
      this.#behaviors = this.#readBehaviors();
    }
  }

  toPartition(): Partition {
    const groups = new Map<number, number[]>();
    for (let at = 0; at < this.#graph.workloads; at++) {
      const group = this.#of[at] as number;
      const members = groups.get(group) ?? [];
      members.push(at);
      groups.set(group, members);
    }
    return [...groups.values()];
  }
}

/**
 * Groups of workloads that behave alike, for each position of the slider, broad ones first. Each position merges groups of the tighter
 * one, so groups nest. Two groups merge when saying which pairs of them were seen gets shorter by it: same peers and same services.
 * @param ids of the workloads in the talks; the same order gives the same groups
 * @param pause gives way to other work, some times a second
 */
export async function clusterWorkloads(
  talks: readonly Talk[],
  ids: readonly string[],
  isInScope: (id: string) => boolean,
  pause: () => Promise<void>,
): Promise<readonly Partition[]> {
  const clusters = new Clusters(buildGraph(talks, ids, isInScope));
  const found: Partition[] = [];
  for (const weight of [...RULE_WEIGHTS].reverse()) {
    await clusters.settle(weight, pause);
    found.unshift(clusters.toPartition());
  }
  return found;
}
