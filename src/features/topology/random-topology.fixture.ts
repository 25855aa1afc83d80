import { type Conversation, tabulate } from '@/domain/topology/conversation-table';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { foldGroups } from '@/domain/topology/fold-conversations';
import { groupPlacer } from '@/domain/topology/group-workloads';
import type { Topology, TopologyGroup, TopologyGrouping } from '@/domain/topology/topology';

/** Numbers from 0 to below 1 that depend on the seed only (mulberry32). */
function randomSource(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const id = (kind: number, n: number) =>
  `00000000-0000-4000-8${kind.toString().padStart(3, '0')}-${n.toString(16).padStart(12, '0')}`;
const NAMES = ['web', 'db', 'cache', 'build', 'mail', 'proxy', 'monitor'];
const SAYS = { action: 'unknown' as const, rules_say: null, audit_say: [], differs: false };

type Sizes = { workloads: number; edges: number; clusters?: number };
type Shown = { grouping?: TopologyGrouping; expand?: 'all' | readonly string[] };

/** Workloads on two clusters, and conversations between them and with the internet. */
function randomTraffic(seed: number, sizes: Sizes) {
  const random = randomSource(seed);
  const below = (count: number) => Math.floor(random() * count);
  const clusters = Array.from({ length: sizes.clusters ?? 2 }, (_, n) => ({ id: id(1, n), name: `cluster-${n + 1}` }));
  const networks = clusters.flatMap((cluster, c) =>
    Array.from({ length: 6 }, (_, n) => {
      const network_id = id(2, c * 100 + Math.floor(n / 3));
      const vlan_tag = n % 3 === 0 ? null : 10 * n;
      const network = vlan_tag === null ? network_id : `${network_id}.${vlan_tag}`;
      return { id: network, network_id, cluster_id: cluster.id, name: `vmbr${Math.floor(n / 3)}`, vlan_tag };
    }),
  );
  const workloads = Array.from({ length: sizes.workloads }, (_, n) => {
    const cluster = clusters[below(clusters.length)] ?? { id: '', name: '' };
    const mine = networks.filter(({ cluster_id }) => cluster_id === cluster.id);
    const project = below(5);
    return {
      id: id(3, n),
      cluster_id: cluster.id,
      name: `${NAMES[below(NAMES.length)]}-${n}`,
      vmid: 100 + n,
      kind: random() < 0.7 ? ('qemu' as const) : ('lxc' as const),
      status: random() < 0.9 ? ('running' as const) : ('stopped' as const),
      tags: random() < 0.8 ? [NAMES[below(NAMES.length)] ?? ''] : [],
      project_id: project === 0 ? null : id(4, project),
      project_name: project === 0 ? null : `Project ${project}`,
      network_ids: random() < 0.9 ? [mine[below(mine.length)]?.id ?? ''] : [],
      addresses: [`10.0.${n >> 8}.${n & 255}`],
    };
  });
  const conversations: Conversation[] = [];
  const verdicts = [];
  for (let n = 0; n < sizes.edges && workloads.length > 1; n++) {
    const [source, other] = [workloads[below(workloads.length)], workloads[below(workloads.length)]];
    const destination = random() < 0.1 ? null : other;
    if (!source || source === destination) continue;
    conversations.push({
      source_workload_id: source.id,
      source_prefix: '10.0.0.0/16',
      source_internal: true,
      destination_workload_id: destination?.id ?? null,
      destination_prefix: destination ? '10.0.0.0/16' : '203.0.113.0/24',
      destination_internal: Boolean(destination),
      protocol: 'tcp',
      port: 443,
      decision: 'observed',
      bytes: below(1_000_000),
      packets: below(1000),
      flows: below(20),
      last_seen_at: '2026-01-01T00:00:00.000Z',
    });
    verdicts.push({ edge: EDGE_VERDICTS[below(EDGE_VERDICTS.length)] ?? 'observed', verdict: SAYS } as const);
  }
  return { clusters, networks, workloads, conversations: { table: tabulate(conversations), verdicts } };
}

/** A map with this many workloads and conversations, the same for the same seed. All groups are expanded unless it is said which. */
export function randomTopology(
  seed: number,
  sizes: Sizes,
  { grouping = 'network', expand = 'all' }: Shown = {},
): Topology {
  const { clusters, networks, workloads, conversations } = randomTraffic(seed, sizes);
  const placeOf = groupPlacer(grouping, new Map(networks.map((network) => [network.id, network])));
  const places = new Map(workloads.map((workload) => [workload.id, placeOf(workload)]));
  const isExpanded = (group: string) => expand === 'all' || expand.includes(group);
  const { edges, outside } = foldGroups(conversations, (workload) => {
    const place = places.get(workload);
    return place ? (isExpanded(place.id) ? workload : place.id) : null;
  });
  const nothing = { found: 0, prefixes: [], prefixes_total: 0 };
  const groups = [...new Map([...places.values()].map((place) => [place.id, place])).values()].map(
    (place): TopologyGroup => ({
      ...place,
      ...nothing,
      workloads: [...places.values()].filter((other) => other.id === place.id).length,
      expanded: isExpanded(place.id),
    }),
  );
  for (const { kind, ...prefixes } of outside) {
    groups.push({ id: kind, kind, name: null, cluster_id: null, workloads: 0, found: 0, expanded: false, ...prefixes });
  }
  const sum = (field: 'bytes' | 'packets' | 'flows') => edges.reduce((total, edge) => total + edge[field], 0);
  return {
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T01:00:00.000Z',
    kept_since: '2025-01-01T00:00:00.000Z',
    source: 'minutes',
    clusters,
    networks,
    workloads: workloads.filter((workload) => isExpanded(places.get(workload.id)?.id ?? '')),
    peers: [],
    edges,
    workloads_total: workloads.length,
    edges_total: edges.length,
    group_by: grouping,
    groups,
    tags: NAMES,
    sums: { bytes: sum('bytes'), packets: sum('packets'), flows: sum('flows') },
    complete: true,
  };
}
