import { type IpAddress, parseIp } from '../net/ip-address';
import type { LiveCluster, LiveNic, LiveNode, LiveRule, LiveState, LiveVnet } from './live-state';
import { CONNECTION_STATES, type Packet } from './packet';

/** Directions and address families. */
export const WAYS = [
  ['in', 4],
  ['in', 6],
  ['out', 4],
  ['out', 6],
] as const;

/** Numbers from 0 to below 1 that depend on the seed only (mulberry32). */
export function randomSource(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const ADDRESSES = [
  '10.0.0.1',
  '10.0.0.0/30',
  '10.0.0.2-10.0.0.5',
  '10.0.0.1,10.0.0.6,10.0.1.0/24',
  '0.0.0.0/0',
  'fd00::1',
  'fd00::/126',
  'fd00::2-fd00::5',
  '+mixed',
  '+guest/mixed',
  '+dc/mixed',
  '+six',
  'web',
  'dc/web',
  'guest/web',
  'WEB',
  'net',
  '+holes',
];
const UNKNOWN_ADDRESSES = ['+sdn/all', '+gone', 'gone', '10', '+management', '10.0.0.01', '10.0.0.09', '10.0.0.1,x'];
const PORTS = [
  '22',
  '20:25',
  '53,80',
  '1:65535',
  '443,22,100:200',
  'ssh',
  '0',
  '135,445',
  'dicom',
  `${Array.from({ length: 15 }, (_, i) => i + 15).join()},ssh`,
];

function randomRule(random: Random, pos: number, inGroup: boolean): LiveRule {
  const maybe = <T>(share: number, make: () => T): T | undefined => (random() < share ? make() : undefined);
  if (!inGroup && random() < 0.12) {
    const iface = maybe(0.3, () => pick(random, ['net0', 'net1']));
    return { pos, type: 'group', action: pick(random, ['web', 'db', 'dangling']), enable: 1, ...(iface && { iface }) };
  }
  const proto = pick(random, [
    undefined,
    'tcp',
    'udp',
    'tcp',
    'udp',
    'icmp',
    'icmpv6',
    'ipv6-icmp',
    'gre',
    'ah',
    '6',
    '58',
    '0',
  ]);
  const ports = proto === 'tcp' || proto === 'udp' || proto === '6';
  // Others contradict a protocol of ICMP, which the API does not take.
  const withIcmp = proto === 'icmp' || proto === 'icmpv6' ? ['Ping', 'NeighborDiscovery'] : [];
  const macros = proto === undefined ? ['SSH', 'DNS', 'Ping', 'ssh', 'NeighborDiscovery'] : withIcmp;
  const macro = macros.length > 0 ? maybe(0.3, () => pick(random, macros)) : undefined;
  const address = () => (random() < 0.06 ? pick(random, UNKNOWN_ADDRESSES) : pick(random, ADDRESSES));
  const name = proto === 'icmp' ? pick(random, ['echo-request', 'fragmentation-needed', 'any']) : 'echo-request';
  const isIcmp = proto === 'icmp' || proto === 'icmpv6' || proto === 'ipv6-icmp';
  // An older way to write a type.
  const older =
    isIcmp && macro === undefined
      ? maybe(0.1, () => pick(random, ['echo-request', 'packet-too-big', 'ssh', '300']))
      : undefined;
  const fields: { -readonly [K in keyof LiveRule]?: LiveRule[K] | undefined } = {
    proto,
    macro,
    source: maybe(0.5, address),
    dest: maybe(0.3, address),
    dport: ports ? maybe(0.6, () => pick(random, [...PORTS, 'site-service'])) : older,
    sport: ports ? maybe(0.2, () => pick(random, PORTS)) : undefined,
    'icmp-type': isIcmp && older === undefined ? maybe(0.6, () => name) : undefined,
    iface: inGroup ? undefined : maybe(0.15, () => pick(random, ['net0', 'net1'])),
    errors: maybe(0.05, () =>
      pick<Record<string, string>>(random, [{ source: "no such alias 'gone'" }, { dest: 'mixed' }]),
    ),
  };
  return {
    pos,
    type: pick(random, ['in', 'in', 'out', 'forward']),
    action: pick(random, ['ACCEPT', 'ACCEPT', 'DROP', 'REJECT']),
    enable: random() < 0.9 ? 1 : 0,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  };
}

const list = (random: Random, most: number, inGroup: boolean) =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, (_, pos) => randomRule(random, pos, inGroup));

/** A node about which everything is known and nothing is stored. */
export const PLAIN_NODE: LiveNode = { options: {}, networks: ['10.0.0.6/29'], rules: [] };

/** A node that drops nothing by itself, so that the guest's rules alone decide. */
export const UNFILTERING_NODE: LiveNode = {
  ...PLAIN_NODE,
  options: { nosmurfs: 0, nf_conntrack_allow_invalid: 1 },
};

/** A node of either implementation, or of one that is not known; its options and networks may be unreadable. */
function randomNode(random: Random): LiveNode | null {
  if (random() < 0.06) return null;
  const networks = random() < 0.1 ? null : pick(random, [['10.0.0.6/29'], ['10.0.1.1/24', 'fd00::1/64'], []]);
  const flag = () => pick(random, [undefined, undefined, undefined, 0, 1]);
  const stored = {
    nftables: pick(random, [undefined, 0, 1, 1]),
    enable: flag(),
    nosmurfs: flag(),
    nf_conntrack_allow_invalid: flag(),
    tcpflags: flag(),
  };
  const options = Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== undefined));
  const node = { options: random() < 0.12 ? null : options, networks, rules: [] };
  const implementation = pick(random, [undefined, 'iptables', 'nftables'] as const);
  return implementation && !node.options ? { ...node, implementation } : node;
}

/** A guest with an enforced chain: random rules, groups, sets, aliases and options, some of them unreadable. */
export function randomState(seed: number): LiveState {
  const random = randomSource(seed);
  const flag = () => pick(random, [undefined, undefined, 0, 1]);
  const options = Object.fromEntries(
    Object.entries({
      enable: random() < 0.15 ? 0 : 1,
      policy_in: pick(random, [undefined, 'DROP', 'ACCEPT', 'REJECT']),
      policy_out: pick(random, [undefined, 'DROP', 'ACCEPT', 'REJECT']),
      dhcp: flag(),
      ndp: flag(),
      radv: flag(),
      macfilter: flag(),
      ipfilter: random() < 0.2 ? 1 : undefined,
      ips: random() < 0.03 ? 1 : undefined,
    }).filter(([, value]) => value !== undefined),
  );
  const unreadable = random() < 0.08;
  return {
    node: randomNode(random),
    cluster: {
      firewall_enabled: random() < 0.04 ? null : true,
      aliases: { web: '10.0.0.2', Net: '10.0.0.4/30' },
      ipsets: unreadable
        ? null
        : {
            mixed: [{ cidr: '10.0.0.0/29' }, { cidr: '10.0.0.2/31', nomatch: 1 }, { cidr: '10.0.0.3' }],
            six: [{ cidr: 'fd00::/125' }, { cidr: 'fd00::1', nomatch: 1 }],
            holes: [
              { cidr: 'net' },
              { cidr: '10.0.0.5', nomatch: 1 },
              { cidr: 'bad', errors: { cidr: 'no such alias' } },
            ],
            management: [{ cidr: '10.0.0.7' }],
            ...(random() < 0.2 && { blacklist: [{ cidr: '10.0.0.6' }] }),
          },
      groups: random() < 0.05 ? null : { web: list(random, 3, true), db: list(random, 3, true) },
    },
    guest: {
      options: random() < 0.02 ? null : options,
      rules: random() < 0.02 ? null : list(random, 10, false),
      aliases: { web: '10.0.0.1' },
      ipsets: {
        ...(random() < 0.5 && { mixed: [{ cidr: 'web' }, { cidr: 'fd00::2' }] }),
        ...(random() < 0.1 && { 'ipfilter-net0': [{ cidr: '10.0.0.0/30' }] }),
      },
    },
  };
}

/** VNets with rules of their own, some of them off, without known gateways or unreadable. */
function randomVnets(random: Random): NonNullable<LiveCluster['vnets']> {
  const vnet = (): LiveVnet => {
    const policy = pick(random, [undefined, 'ACCEPT', 'DROP']);
    const gateways = pick(random, [undefined, [], ['10.0.0.1/30'], ['10.0.0.6/30', 'fd00::1/125']]);
    return {
      options:
        random() < 0.08
          ? null
          : { enable: random() < 0.8 ? 1 : 0, ...(policy !== undefined && { policy_forward: policy }) },
      rules: random() < 0.06 ? null : forwarded(list(random, 6, false)),
      ...(gateways && { gateways }),
    };
  };
  return { apps: vnet(), lab: vnet() };
}

const forwarded = (rules: readonly LiveRule[]): LiveRule[] =>
  rules.map((rule) => (rule.type === 'in' ? { ...rule, type: 'forward' } : rule));

/** Adds VNets, rules and options for forwarded traffic to a cluster; `vnets` may be missing or unreadable. */
export function withForwarding(cluster: LiveCluster, random: Random): LiveCluster {
  const policy = pick(random, [undefined, 'ACCEPT', 'DROP']);
  const kind = random();
  return {
    ...cluster,
    rules: random() < 0.05 ? null : forwarded(cluster.rules ?? list(random, 6, false)),
    options: random() < 0.05 ? null : { ...cluster.options, ...(policy !== undefined && { policy_forward: policy }) },
    ...(kind > 0.15 && { vnets: kind < 0.22 ? null : randomVnets(random) }),
  };
}

/** The interface that `randomState` belongs to. */
export const RANDOM_NIC: LiveNic = { name: 'net0', firewall: true, mac: '02:00:00:00:00:01' };

/** The same interface with another flag, or as that of a container with static addresses. */
export function randomNic(random: Random): LiveNic {
  const firewall = pick(random, [true, true, true, true, true, false, null]);
  return { ...RANDOM_NIC, firewall, ...(random() < 0.3 && { static_addresses: ['10.0.0.7/24', 'fd00::7/64'] }) };
}

const ip = (text: string): IpAddress => parseIp(text) ?? { family: 4, value: 0n };
const HOSTS = {
  4: [
    ...Array.from({ length: 8 }, (_, i) => `10.0.0.${i}`),
    '10.0.1.9',
    '10.0.1.255',
    '8.8.8.8',
    '224.0.0.5',
    '255.255.255.255',
    '0.0.0.0',
  ].map(ip),
  6: [...Array.from({ length: 8 }, (_, i) => `fd00::${i}`), '2001:db8::1', 'fe80::ff:fe00:1', 'fe80::1', 'ff02::1'].map(
    ip,
  ),
};
const PACKET_PORTS = [22, 104, 11_112, 25, 43, 53, 67, 68, 80, 137, 138, 445, 443, 546, 547, 1900, 5000];
const UNKNOWN = undefined;

/** A packet that is often close to what `randomState` matches. */
export function randomPacket(random: Random): Packet {
  const family = random() < 0.6 ? 4 : 6;
  const protocol = pick(random, [6, 6, 17, 17, family === 4 ? 1 : 58, 47, 1, 58, 132, 51]);
  const ports = protocol === 6 || protocol === 17 || protocol === 132;
  const known = random() < 0.95;
  const sport = random() < 0.03 ? 0 : pick(random, PACKET_PORTS);
  const dport = pick(random, PACKET_PORTS);
  const icmp = protocol === 1 || protocol === 58;
  const type = pick(random, [0, 1, 2, 3, 8, 10, 11, 13, 128, 129, 133, 134, 135, 137, 143]);
  const code = random() < 0.9 ? pick(random, [0, 4]) : UNKNOWN;
  return {
    direction: random() < 0.6 ? 'in' : 'out',
    source: pick(random, HOSTS[family]),
    destination: pick(random, HOSTS[family]),
    protocol,
    ...(ports && known && { source_port: sport, destination_port: dport }),
    ...(icmp && known && { icmp_type: type }),
    ...(icmp && known && code !== undefined && { icmp_code: code }),
    ...(random() < 0.2 && { tcp_syn: false }),
    ...(random() < 0.12 && { state: pick(random, CONNECTION_STATES) }),
    ...(random() < 0.2 && { source_mac: pick(random, ['02:00:00:00:00:01', '02:00:00:00:00:02']) }),
  };
}
