import type { EvaluatedConversations, FoldedEdges } from '@/domain/topology/edge-totals';
import { foldGroups } from '@/domain/topology/fold-conversations';
import { type GroupPlace, type groupPlacer, isWorkloadMatch } from '@/domain/topology/group-workloads';
import {
  MAX_TOPOLOGY_EDGES,
  type TopologyGroup,
  type TopologyInput,
  type TopologyPeer,
  type TopologyWorkload,
} from '@/domain/topology/topology';

/** Groups by name, then what is outside. */
const RANK: Record<TopologyGroup['kind'], number> = {
  project: 0,
  tag: 0,
  network: 0,
  none: 1,
  internal: 2,
  external: 3,
};

type Asked = {
  /** Workloads that are on the map; the reader may see all of them. */
  requested: readonly TopologyWorkload[];
  placeOf: ReturnType<typeof groupPlacer>;
  input: Pick<TopologyInput, 'expand' | 'q'>;
};

/** The map of groups: each group is a node, or its workloads are. Groups are made of these workloads only. */
export function buildGroupMap(
  conversations: EvaluatedConversations,
  { requested, placeOf, input }: Asked,
): FoldedEdges & { groups: TopologyGroup[]; peers: TopologyPeer[]; shown: TopologyWorkload[] } {
  const places = new Map<string, GroupPlace>(requested.map((workload) => [workload.id, placeOf(workload)]));
  const asked = new Set(input.expand);
  const expanded = new Set(
    [...places]
      .filter(([id, place]) => asked.has('all') || asked.has(place.id) || asked.has(id))
      .map(([, { id }]) => id),
  );
  const findNode = (id: string) => {
    const place = places.get(id);
    return place === undefined ? null : expanded.has(place.id) ? id : place.id;
  };
  const { outside, ...folded } = foldGroups(conversations, findNode, MAX_TOPOLOGY_EDGES);
  const groups = new Map<string, TopologyGroup>();
  for (const workload of requested) {
    const place = places.get(workload.id);
    if (!place) continue;
    let group = groups.get(place.id);
    if (!group) {
      const nothing = { workloads: 0, found: 0, prefixes: [], prefixes_total: 0 };
      group = { ...place, ...nothing, expanded: expanded.has(place.id) };
      groups.set(place.id, group);
    }
    group.workloads += 1;
    if (input.q && isWorkloadMatch(workload, input.q)) group.found += 1;
  }
  for (const { kind, ...prefixes } of outside) {
    const empty = { name: null, cluster_id: null, workloads: 0, found: 0, expanded: false };
    groups.set(kind, { id: kind, kind, ...empty, ...prefixes });
  }
  const collator = new Intl.Collator('en', { numeric: true });
  const order = (a: TopologyGroup, b: TopologyGroup) =>
    RANK[a.kind] - RANK[b.kind] || collator.compare(a.name ?? '', b.name ?? '') || (a.id < b.id ? -1 : 1);
  return {
    groups: [...groups.values()].sort(order),
    ...folded,
    peers: [],
    shown: requested.filter(({ id }) => expanded.has(places.get(id)?.id ?? '')),
  };
}
