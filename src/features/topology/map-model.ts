import { EDGE_VERDICTS, type EdgeVerdict, worseVerdict } from '@/domain/topology/edge-verdict';
import { groupPlacer } from '@/domain/topology/group-workloads';
import type { Topology, TopologyEdge, TopologyGroup, TopologyWorkload } from '@/domain/topology/topology';
import { msg, type Translate } from '@/lib/i18n/translator';

export type MapNode = {
  id: string;
  kind: 'workload' | 'group' | 'external' | 'internal';
  label: string;
  /** Second line of a tile; null: none. */
  detail: string | null;
  /** Name of its cluster; empty where it spans several. */
  cluster: string;
  /** The group that it is part of; its own id when it is a group or outside. */
  group_id: string;
  workload: TopologyWorkload | null;
  /** Null for workloads. */
  group: TopologyGroup | null;
  /** Most severe verdict of its shown links; null without any. */
  verdict: EdgeVerdict | null;
  links: number;
  bytes: number;
};

/** Traffic from one node to another, or inside one, with one verdict. */
export type MapLink = {
  id: string;
  source: string;
  destination: string;
  verdict: EdgeVerdict;
  bytes: number;
  flows: number;
  edges: readonly TopologyEdge[];
};

/** A tile (then it is the only node), or an expanded group as a box with its workloads. */
export type MapGroup = {
  id: string;
  label: string;
  expanded: boolean;
  group: TopologyGroup;
  nodes: readonly MapNode[];
};

export type MapModel = {
  /** In the order in which they are laid out: *External* first, then by name. */
  groups: readonly MapGroup[];
  nodes: ReadonlyMap<string, MapNode>;
  links: readonly MapLink[];
};

export type MapChoice = {
  /** Verdicts that are shown. */
  verdicts: ReadonlySet<EdgeVerdict>;
  /** Whether nodes without links are shown. */
  idle: boolean;
};

/** Names of groups for workloads that belong to none. */
const REST_LABELS = { network: msg('No network'), project: msg('No project'), tag: msg('No tag') } as const;
const EXTERNAL = msg('External');
const INTERNAL = msg('Other hosts');
const WORKLOADS = msg('{n, plural, one {# workload} other {# workloads}}');
const PREFIXES = msg('{n, plural, one {# prefix} other {# prefixes}}');
const RANK: Partial<Record<TopologyGroup['kind'], number>> = { external: -1, none: 1, internal: 2 };

const collator = new Intl.Collator('en', { numeric: true });
const byLabel = (a: { label: string; id: string }, b: { label: string; id: string }) =>
  collator.compare(a.label, b.label) || (a.id < b.id ? -1 : 1);

function createGroupNamer(t: Translate, { clusters, group_by }: Topology) {
  const names = new Map(clusters.map(({ id, name }) => [id, name]));
  return ({ kind, name, cluster_id, id }: TopologyGroup): string => {
    if (kind === 'external') return t(EXTERNAL);
    if (kind === 'internal') return t(INTERNAL);
    if (kind === 'none') return t(REST_LABELS[group_by ?? 'network']);
    const cluster = cluster_id === null ? undefined : names.get(cluster_id);
    return clusters.length > 1 && cluster !== undefined ? `${name} (${cluster})` : (name ?? id);
  };
}

/** Links between nodes, of the verdicts that are shown. */
function listLinks(
  edges: readonly TopologyEdge[],
  nodes: ReadonlyMap<string, MapNode>,
  shown: ReadonlySet<EdgeVerdict>,
) {
  return edges.flatMap((edge): MapLink[] => {
    const { source, destination, verdict, bytes, flows } = edge;
    if (!nodes.has(source) || !nodes.has(destination) || !shown.has(verdict)) return [];
    return [{ id: `${source} ${destination} ${verdict}`, source, destination, verdict, bytes, flows, edges: [edge] }];
  });
}

/** What the map shows: groups and nodes in an order that does not depend on the answer's, and links. */
export function buildMap(t: Translate, topology: Topology, { verdicts, idle }: MapChoice): MapModel {
  const nameOf = createGroupNamer(t, topology);
  const clusters = new Map(topology.clusters.map(({ id, name }) => [id, name]));
  const placeOf = groupPlacer(
    topology.group_by ?? 'network',
    new Map(topology.networks.map((network) => [network.id, network])),
  );
  const nodes = new Map<string, MapNode>();
  const nothing = { verdict: null, links: 0, bytes: 0 };
  for (const group of topology.groups) {
    if (group.expanded) continue;
    const { id, kind, workloads, prefixes_total, cluster_id } = group;
    const outside = kind === 'external' || kind === 'internal';
    nodes.set(id, {
      id,
      kind: outside ? kind : 'group',
      label: nameOf(group),
      detail: outside
        ? prefixes_total > 0
          ? t(PREFIXES, { n: prefixes_total })
          : null
        : t(WORKLOADS, { n: workloads }),
      cluster: (cluster_id !== null && clusters.get(cluster_id)) || '',
      group_id: id,
      workload: null,
      group,
      ...nothing,
    });
  }
  for (const workload of topology.workloads) {
    const { id, name: label, cluster_id } = workload;
    const group_id = placeOf(workload).id;
    const cluster = clusters.get(cluster_id) ?? '';
    nodes.set(id, { id, kind: 'workload', label, detail: null, cluster, group_id, workload, group: null, ...nothing });
  }
  const links = listLinks(topology.edges, nodes, verdicts);
  for (const link of links) {
    for (const id of new Set([link.source, link.destination])) {
      const node = nodes.get(id);
      if (!node) continue;
      node.verdict = node.verdict === null ? link.verdict : worseVerdict(node.verdict, link.verdict);
      node.links += 1;
      node.bytes += link.bytes;
    }
  }
  for (const [id, node] of nodes) {
    const outside = node.kind === 'external' || node.kind === 'internal';
    if (node.links === 0 && (outside || !idle)) nodes.delete(id);
  }
  const members = new Map<string, MapNode[]>();
  for (const node of nodes.values()) {
    const list = members.get(node.group_id);
    if (list) list.push(node);
    else members.set(node.group_id, [node]);
  }
  const groups = topology.groups.flatMap((group): MapGroup[] => {
    const list = members.get(group.id);
    if (!list) return [];
    return [{ id: group.id, label: nameOf(group), expanded: group.expanded, group, nodes: list.sort(byLabel) }];
  });
  const rank = ({ group }: MapGroup) => RANK[group.kind] ?? 0;
  return { groups: groups.sort((a, b) => rank(a) - rank(b) || byLabel(a, b)), nodes, links };
}

/** The verdicts that have something to show, the weightiest first, with the number of edges of each. */
export function countVerdicts(topology: Topology): { verdict: EdgeVerdict; edges: number }[] {
  return EDGE_VERDICTS.map((verdict) => ({
    verdict,
    edges: topology.edges.filter((edge) => edge.verdict === verdict).length,
  }));
}
