import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import type { Topology, TopologyEdge } from '@/domain/topology/topology';

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

/** A map with this many workloads and edges, the same for the same seed. */
export function randomTopology(seed: number, sizes: { workloads: number; edges: number; clusters?: number }): Topology {
  const random = randomSource(seed);
  const below = (count: number) => Math.floor(random() * count);
  const clusters = Array.from({ length: sizes.clusters ?? 2 }, (_, n) => ({ id: id(1, n), name: `cluster-${n + 1}` }));
  const networks = clusters.flatMap((cluster, c) =>
    Array.from({ length: 6 }, (_, n) => {
      const network_id = id(2, c * 100 + Math.floor(n / 3));
      const vlan_tag = n % 3 === 0 ? null : 10 * n;
      const name = `vmbr${Math.floor(n / 3)}`;
      return {
        id: vlan_tag === null ? network_id : `${network_id}.${vlan_tag}`,
        network_id,
        cluster_id: cluster.id,
        name,
        vlan_tag,
      };
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
  const peers = networks.map((network) => ({
    id: `external:${network.id}`,
    kind: 'external' as const,
    cluster_id: network.cluster_id,
    network_id: network.id,
    prefixes: [{ prefix: '203.0.113.0/24', bytes: 10, packets: 1, flows: 1 }],
    prefixes_total: 1,
  }));
  const pairs = new Map<string, TopologyEdge>();
  for (let n = 0; n < sizes.edges && workloads.length > 1; n++) {
    const source = workloads[below(workloads.length)];
    const peer = peers[below(peers.length)];
    const destination = random() < 0.1 ? peer?.id : workloads[below(workloads.length)]?.id;
    if (!source || !destination || source.id === destination) continue;
    const verdict = EDGE_VERDICTS[below(EDGE_VERDICTS.length)] ?? 'observed';
    const sums = {
      bytes: below(1_000_000),
      packets: below(1000),
      flows: below(20),
      last_seen_at: '2026-01-01T00:00:00.000Z',
    };
    const services = [{ protocol: 'tcp', port: 443, ...sums }];
    const says = { action: 'unknown' as const, rules_say: null, audit_say: [], differs: false };
    const edge = { source: source.id, destination, verdict, ...says, ...sums, services, services_total: 1 };
    pairs.set(`${source.id} ${destination}`, edge);
  }
  const edges = [...pairs.values()];
  return {
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T01:00:00.000Z',
    kept_since: '2025-01-01T00:00:00.000Z',
    source: 'minutes',
    clusters,
    networks,
    workloads,
    peers,
    edges,
    workloads_total: workloads.length,
    edges_total: edges.length,
  };
}
