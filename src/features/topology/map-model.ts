import { EDGE_VERDICTS, type EdgeVerdict, weightiest } from '@/domain/topology/edge-verdict';
import type { Topology, TopologyEdge, TopologyPeer, TopologyWorkload } from '@/domain/topology/topology';
import { msg, type Translate } from '@/lib/i18n/translator';

export const MAP_GROUPINGS = ['network', 'project', 'tag'] as const;
export type MapGrouping = (typeof MAP_GROUPINGS)[number];

export type MapNode = {
  id: string;
  kind: 'workload' | TopologyPeer['kind'];
  label: string;
  cluster_id: string;
  group_id: string;
  /** Null for peers. */
  workload: TopologyWorkload | null;
  peers: readonly TopologyPeer[];
  /** Weightiest verdict of its shown links; null without any. */
  verdict: EdgeVerdict | null;
  links: number;
  bytes: number;
};

/** What two nodes say to each other, one way and with one verdict. */
export type MapLink = {
  id: string;
  source: string;
  destination: string;
  verdict: EdgeVerdict;
  bytes: number;
  flows: number;
  edges: readonly TopologyEdge[];
};

export type MapGroup = { id: string; label: string; nodes: readonly MapNode[] };
export type MapCluster = { id: string; label: string; groups: readonly MapGroup[] };

export type MapModel = {
  clusters: readonly MapCluster[];
  nodes: ReadonlyMap<string, MapNode>;
  groups: ReadonlyMap<string, MapGroup>;
  links: readonly MapLink[];
};

export type MapChoice = {
  grouping: MapGrouping;
  /** Verdicts that are shown. */
  verdicts: ReadonlySet<EdgeVerdict>;
  /** Whether workloads without links are shown. */
  idle: boolean;
};

const PEER_LABELS = { external: msg('External'), internal: msg('Other hosts') } as const;
/** Names of groups for what belongs to none; they stand last. */
const REST_LABELS = { network: msg('No network'), project: msg('No project'), tag: msg('No tag') } as const;
const OUTSIDE = msg('External');

const collator = new Intl.Collator('en', { numeric: true });
const byLabel = (a: { label: string; id: string }, b: { label: string; id: string }) =>
  collator.compare(a.label, b.label) || (a.id < b.id ? -1 : 1);

function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

type Place = { group: string; label: string; last: number };

function placer(t: Translate, topology: Topology, grouping: MapGrouping) {
  const networks = new Map(topology.networks.map((network) => [network.id, network]));
  const ofNetwork = (clusterId: string, id: string | null | undefined): Place => {
    const network = id ? networks.get(id) : undefined;
    if (!network) return { group: `${clusterId}/`, label: t(REST_LABELS.network), last: 1 };
    const { name, vlan_tag: tag } = network;
    return { group: `${clusterId}/${network.id}`, label: tag === null ? name : `${name}, VLAN ${tag}`, last: 0 };
  };
  return {
    workload(workload: TopologyWorkload): Place {
      const { cluster_id: clusterId, project_id, project_name, tags } = workload;
      if (grouping === 'network') return ofNetwork(clusterId, workload.network_ids[0]);
      const [key, label] = grouping === 'project' ? [project_id, project_name] : [tags[0], tags[0]];
      if (!key || !label) return { group: `${clusterId}/`, label: t(REST_LABELS[grouping]), last: 1 };
      return { group: `${clusterId}/${key}`, label, last: 0 };
    },
    /** By network, peers stand beside the workloads that meet them; otherwise a cluster has one of each kind. */
    peer({ cluster_id: clusterId, network_id, kind, id }: TopologyPeer): Place & { node: string } {
      if (grouping === 'network') return { ...ofNetwork(clusterId, network_id), node: id };
      return { group: `${clusterId}//outside`, label: t(OUTSIDE), last: 2, node: `${kind}:${clusterId}` };
    },
  };
}

/** Links between nodes, of the verdicts that are shown; several edges may end at one node. */
function linksOf(topology: Topology, nodeOf: (id: string) => string | undefined, shown: ReadonlySet<EdgeVerdict>) {
  const links = new Map<string, Pick<MapLink, 'source' | 'destination' | 'verdict'> & { edges: TopologyEdge[] }>();
  for (const edge of topology.edges) {
    const { verdict } = edge;
    const [source, destination] = [nodeOf(edge.source), nodeOf(edge.destination)];
    if (!source || !destination || !shown.has(verdict)) continue;
    const id = `${source} ${destination} ${verdict}`;
    const link = links.get(id);
    if (link) link.edges.push(edge);
    else links.set(id, { source, destination, verdict, edges: [edge] });
  }
  return [...links].map(([id, link]): MapLink => {
    const sum = (field: 'bytes' | 'flows') => link.edges.reduce((total, edge) => total + edge[field], 0);
    return { id, ...link, bytes: sum('bytes'), flows: sum('flows') };
  });
}

/** What the map shows: clusters with their groups and nodes in an order that does not depend on the answer's, and links. */
export function buildMap(t: Translate, topology: Topology, { grouping, verdicts, idle }: MapChoice): MapModel {
  const place = placer(t, topology, grouping);
  const nodes = new Map<string, MapNode>();
  const nodeOfPeer = new Map<string, string>();
  const places = new Map<string, Place & { cluster_id: string }>();
  const put = (at: Place, node: Pick<MapNode, 'id' | 'kind' | 'label' | 'cluster_id' | 'workload' | 'peers'>) => {
    places.set(at.group, { ...at, cluster_id: node.cluster_id });
    nodes.set(node.id, { ...node, group_id: at.group, verdict: null, links: 0, bytes: 0 });
  };
  for (const workload of topology.workloads) {
    const { id, name: label, cluster_id } = workload;
    put(place.workload(workload), { id, kind: 'workload', label, cluster_id, workload, peers: [] });
  }
  for (const peer of topology.peers) {
    const at = place.peer(peer);
    nodeOfPeer.set(peer.id, at.node);
    const peers = [...(nodes.get(at.node)?.peers ?? []), peer];
    const { kind, cluster_id } = peer;
    put(at, { id: at.node, kind, label: t(PEER_LABELS[kind]), cluster_id, workload: null, peers });
  }
  const links = linksOf(topology, (id) => (nodes.has(id) ? id : nodeOfPeer.get(id)), verdicts);
  for (const link of links) {
    for (const id of new Set([link.source, link.destination])) {
      const node = nodes.get(id);
      if (!node) continue;
      node.verdict = node.verdict === null ? link.verdict : weightiest([node.verdict, link.verdict]);
      node.links += 1;
      node.bytes += link.bytes;
    }
  }
  for (const [id, node] of nodes) {
    if (node.links === 0 && (node.kind !== 'workload' || !idle)) nodes.delete(id);
  }
  const members = groupBy(nodes.values(), (node) => node.group_id);
  const groups = new Map<string, MapGroup>();
  for (const [id, { label }] of places) {
    const list = members.get(id);
    // Peers first: what comes from outside is looked for in one place.
    if (list) {
      list.sort((a, b) => Number(a.kind === 'workload') - Number(b.kind === 'workload') || byLabel(a, b));
      groups.set(id, { id, label, nodes: list });
    }
  }
  const inCluster = groupBy(groups.values(), ({ id }) => places.get(id)?.cluster_id ?? '');
  const clusters = topology.clusters.flatMap(({ id, name: label }): MapCluster[] => {
    const list = inCluster.get(id);
    const rank = (group: MapGroup) => places.get(group.id)?.last ?? 0;
    return list ? [{ id, label, groups: list.sort((a, b) => rank(a) - rank(b) || byLabel(a, b)) }] : [];
  });
  return { clusters: clusters.sort(byLabel), nodes, groups, links };
}

/** The verdicts that have something to show, the weightiest first, with the number of edges of each. */
export function countVerdicts(topology: Topology): { verdict: EdgeVerdict; edges: number }[] {
  return EDGE_VERDICTS.map((verdict) => ({
    verdict,
    edges: topology.edges.filter((edge) => edge.verdict === verdict).length,
  }));
}
