import type { ChainFacts, InterfaceReport, NodeReport } from './evaluate-chain';

/** Written independently of the evaluator: the links of each implementation in their order. */
export const ORACLE_LINKS = {
  iptables: [
    'cluster_firewall',
    'firewall_service',
    'guest_firewall',
    'nic_flag',
    'firewall_bridge',
    'bridge_netfilter',
    'ruleset_compiled',
    'ruleset_current',
    'default_policy',
    'open_connections',
  ],
  nftables: [
    'cluster_firewall',
    'firewall_service',
    'guest_firewall',
    'nic_flag',
    'ruleset_compiled',
    'ruleset_current',
    'default_policy',
    'open_connections',
  ],
} as const;

type Part = Partial<Omit<ChainFacts, 'report'>> & {
  report?: Partial<Omit<NodeReport, 'interface'>>;
  interface?: Partial<InterfaceReport>;
};
type Setting = readonly ['ok' | 'broken' | 'unknown', Part];

/** One way to make each link hold, fail, or be unknown; none of them touches another link. */
export const ORACLE_SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  cluster_firewall: [
    ['ok', { cluster: true }],
    ['broken', { cluster: false }],
    ['unknown', { cluster: null }],
  ],
  firewall_service: [
    ['ok', { report: { service_running: true } }],
    ['broken', { report: { service_running: false } }],
    ['unknown', { report: { service_running: null } }],
  ],
  guest_firewall: [
    ['ok', { guest: true }],
    ['broken', { guest: false }],
    ['unknown', { guest: null }],
  ],
  nic_flag: [
    ['ok', { nic: true }],
    ['broken', { nic: false }],
    ['unknown', { nic: null }],
  ],
  firewall_bridge: [
    ['ok', { interface: { bridge: 'own_firewall_bridge' } }],
    ['broken', { interface: { bridge: 'other' } }],
    ['unknown', { interface: { bridge: null } }],
  ],
  bridge_netfilter: [
    ['ok', { report: { netfilter_ipv4: true, netfilter_ipv6: true } }],
    ['broken', { report: { netfilter_ipv4: false, netfilter_ipv6: true } }],
    ['unknown', { report: { netfilter_ipv4: true, netfilter_ipv6: null } }],
  ],
  ruleset_compiled: [
    ['ok', { interface: { chains: true } }],
    ['broken', { interface: { chains: false } }],
    ['unknown', { interface: { chains: null } }],
  ],
  ruleset_current: [
    ['ok', { age: 'loaded' }],
    ['broken', { age: 'not_loaded' }],
    ['unknown', { age: 'waiting' }],
  ],
  default_policy: [
    ['ok', { default_policy: 'deny' }],
    ['broken', { default_policy: 'accept' }],
    ['unknown', { default_policy: 'unknown' }],
  ],
  open_connections: [
    ['ok', { older_connections: 0 }],
    ['broken', { older_connections: 2 }],
    ['unknown', { older_connections: null }],
  ],
};

const REPORT: NodeReport = {
  implementation: null,
  service_running: true,
  rules_loaded: true,
  netfilter_ipv4: true,
  netfilter_ipv6: true,
  interface: { present: true, bridge: 'own_firewall_bridge', chains: true },
};

export type Changes = Partial<Omit<ChainFacts, 'report'>> & {
  report?: Partial<Omit<NodeReport, 'interface'>> & { interface?: Partial<InterfaceReport> | null };
};

/** An interface whose links all hold, but for what is changed. */
export function buildFacts({ report = {}, ...changes }: Changes): ChainFacts {
  const { interface: nic = {}, ...node } = report;
  return {
    cluster: true,
    guest: true,
    nic: true,
    nic_pending: false,
    running: true,
    implementations: ['iptables'],
    compile: 'ok',
    report: {
      ...REPORT,
      ...node,
      interface: nic === null ? null : { present: true, bridge: 'own_firewall_bridge', chains: true, ...nic },
    },
    age: 'loaded',
    default_policy: 'deny',
    older_connections: 0,
    ...changes,
  };
}

/** Every combination of the settings of some links: the state that each link is in, and the facts. */
export function* allCombinations(
  links: readonly string[],
  base: Partial<ChainFacts> = {},
): Generator<{ states: string[]; facts: ChainFacts }> {
  const total = 3 ** links.length;
  for (let number = 0; number < total; number++) {
    const states: string[] = [];
    let facts: Changes = { ...base, report: {} } as Changes;
    let left = number;
    for (const link of links) {
      const setting = ORACLE_SETTINGS[link]?.[left % 3];
      if (!setting) throw new Error(`expected three settings of ${link}`);
      const [state, part] = setting;
      left = Math.floor(left / 3);
      states.push(state);
      const { report, interface: nic, ...plain } = part;
      facts = {
        ...facts,
        ...plain,
        report: { ...facts.report, ...report, interface: { ...facts.report?.interface, ...nic } },
      };
    }
    yield { states, facts: buildFacts(facts) };
  }
}
