import { randomSource } from '../firewall/random-state.fixture';
import type { CompilablePolicy, CompilableRule } from './desired';
import type { Inventory } from './inventory-index';

const CLUSTERS = [
  { id: 'c1', name: 'alpha' },
  { id: 'c2', name: 'beta' },
];

const workload = (id: string, change: Partial<Inventory['workloads'][number]> = {}) => ({
  id,
  cluster_id: 'c1',
  vmid: 100,
  name: id,
  tenant_id: 't1',
  template: false,
  tags: [],
  addresses: [],
  ...change,
});

/** Addresses that cannot be joined into networks, so that lists of them get long. */
const SCATTERED = Array.from({ length: 130 }, (_, i) => `10.9.${i}.${(i * 2) % 250}`);

/** Groups of tenants. Most have the name of one of the installation. */
const GROUPS: Inventory['security_groups'] = [
  { id: 'g1', name: 'web', tenant_id: 't1', workload_ids: ['web1', 'web2', 'golden'] },
  { id: 'g2', name: 'db', tenant_id: 't2', workload_ids: ['db1', 'mute'] },
  { id: 'g3', name: 'empty', tenant_id: 't1', workload_ids: [] },
  { id: 'g4', name: 'many', tenant_id: 't1', workload_ids: SCATTERED.map((_, i) => `many${i}`) },
  { id: 'g5', name: 'some', tenant_id: 't1', workload_ids: SCATTERED.slice(0, 60).map((_, i) => `many${i}`) },
  { id: 'g6', name: 'doubled', tenant_id: 't1', workload_ids: ['web1'] },
  { id: 'g7', name: 'doubled', tenant_id: 't1', workload_ids: ['db1'] },
];

/** Two clusters with what makes resolving hard: one name twice, one vmid twice, templates, tenants, no addresses. */
export const INVENTORY: Inventory = {
  clusters: CLUSTERS,
  workloads: [
    workload('web1', { vmid: 101, addresses: ['10.0.0.1', 'fd00::1'], tags: ['web'] }),
    workload('web2', { vmid: 102, addresses: ['10.0.0.2/24'], tags: ['web', 'prod'] }),
    workload('db1', { vmid: 103, addresses: ['10.0.0.3', 'fd00::3'], tenant_id: 't2', tags: ['prod'] }),
    workload('mute', { vmid: 104 }),
    workload('golden', { vmid: 105, template: true, addresses: ['10.0.0.5'], tags: ['web'] }),
    workload('twin-a', { vmid: 106, name: 'twin', addresses: ['10.0.0.6'] }),
    workload('twin-b', { vmid: 107, name: 'twin', addresses: ['10.0.0.7'] }),
    workload('other', { vmid: 101, cluster_id: 'c2', addresses: ['10.0.0.4'] }),
    ...SCATTERED.map((address, i) => workload(`many${i}`, { vmid: 1000 + i, addresses: [address] })),
  ],
  security_groups: [
    ...GROUPS,
    ...GROUPS.slice(0, 5).map((group) => ({ ...group, id: `${group.id}-all`, tenant_id: null })),
  ],
  networks: [
    {
      id: 'n1',
      cluster_id: 'c1',
      name: 'dmz',
      cidrs: ['10.0.0.0/30', 'fd00::/126'],
      cidrs_of_owners: { t1: ['10.0.0.0/30'] },
    },
    { id: 'n2', cluster_id: 'c1', name: 'bare', cidrs: [] },
    { id: 'n4', cluster_id: 'c2', name: 'lan', cidrs: ['10.0.0.4/31'], cidrs_of_owners: { t1: ['10.0.0.4/31'] } },
    {
      id: 'n3',
      cluster_id: 'c2',
      name: 'dmz',
      cidrs: ['10.0.0.8/29'],
      cidrs_of_owners: { t1: ['10.0.0.8/29'], t2: ['10.0.0.8/29'] },
    },
  ],
};

export const ENDPOINTS = [
  'any',
  'sg:web',
  'sg:g2',
  'sg:many',
  'sg:some',
  'tag:prod',
  'vmid:102',
  'vmid:alpha/101',
  'vmid:c2/101',
  'network:alpha/dmz',
  'network:c2/dmz',
  'network:lan',
  '10.0.0.3',
  '10.0.0.0/29',
  'fd00::/127',
  'db1',
  'web1',
];
/** Endpoints that resolve to nothing, as targets and as sources. */
export const DEAD_ENDPOINTS = [
  'sg:empty',
  'sg:gone',
  'sg:doubled',
  'vmid:101',
  'vmid:999',
  'twin',
  'network:bare',
  'network:dmz',
  'network:alpha/lan',
  'network:gone/dmz',
  'tag:none',
  'gone',
];

/** Random policies over `INVENTORY`. */
export function randomPolicies(seed: number): CompilablePolicy[] {
  const random = randomSource(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const some = (most: number) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random() < 0.15 ? DEAD_ENDPOINTS : ENDPOINTS));
  const rule = (position: number): CompilableRule & { position: number } => {
    const protocol = pick(['any', 'tcp', 'udp', 'tcp/udp', 'icmp', 'icmpv6', 'sctp', 'tcp', 'tcp/udp'] as const);
    const ports = protocol === 'tcp' || protocol === 'udp' || protocol === 'tcp/udp' || protocol === 'sctp';
    const long = Array.from({ length: 24 }, (_, i) => (i % 3 === 0 ? `${i * 10 + 1}-${i * 10 + 4}` : `${i * 10 + 7}`));
    return {
      position,
      action: pick(['accept', 'accept', 'drop', 'reject'] as const),
      protocol,
      destination_ports: ports ? pick([[], ['22'], ['22', '80-90'], long]) : [],
      source_ports: ports && random() < 0.2 ? pick([['40000-50000'], long]) : [],
      icmp_type: protocol === 'icmp' || protocol === 'icmpv6' ? pick([null, 'echo-request']) : null,
      log: pick(['nolog', 'nolog', 'info'] as const),
      enabled: random() < 0.9,
      comment: pick(['', 'why']),
    };
  };
  const owner = () =>
    pick([
      { tenant_id: null, tier: 'platform_first' },
      { tenant_id: null, tier: 'platform_last' },
      { tenant_id: 't1', tier: 'tenant' },
    ] as const);
  return Array.from({ length: 1 + Math.floor(random() * 4) }, (_, i) => ({
    id: `p${i}`,
    version: 1 + Math.floor(random() * 3),
    ...owner(),
    priority: pick([1, 10, 20]),
    created_at: pick(['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']),
    definition: {
      enforcement_mode: 'enforced' as const,
      direction: pick(['in', 'out', 'both'] as const),
      sources: some(3),
      targets: some(3),
      default_action: pick(['none', 'none', 'drop'] as const),
    },
    rules: Array.from({ length: Math.floor(random() * 5) }, (_, position) => rule(position)),
  }));
}
