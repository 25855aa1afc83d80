import { parseIp } from '@/domain/net/ip-address';
import type { FirewallFile } from '../firewall/firewall-file';
import type { Packet } from './packet';

// Random firewall files, as they are stored, and packets close to what their rules match.
export type Random = () => number;
export const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const ADDRESSES = [
  '10.0.0.1',
  '10.0.0.0/30',
  '10.0.0.2-10.0.0.5',
  '10.0.0.1,10.0.0.6,10.0.1.0/24',
  'fd00::/126',
  'fd00::1',
  '+mixed',
  '+guest/own',
  '+dc/mixed',
  '+guest/mixed',
  '+dc/own',
  'web',
  'dc/web',
  'guest/web',
  '+holes',
];
/** What rules of groups and of the cluster may refer to. */
const PLAIN = ADDRESSES.filter((text) => !/guest\/|own/.test(text));
// The API takes the last two, and the compiler of iptables fails at them.
const SHARED = [...PLAIN, 'guest/web', '+guest/mixed'];
/** Stops the compile of a node. */
const REFUSED = '10.0.0.09';
const ICMP_4 = ['echo-request', 'destination-unreachable', 'fragmentation-needed', 'time-exceeded', 'any'];
const ICMP_6 = ['echo-request', 'destination-unreachable', 'packet-too-big', 'router-advertisement'];

/** A stored rule line, which the parser may still find fault with. */
function ruleLine(random: Random, addresses: readonly string[], inGroup: boolean): string {
  const off = random() < 0.1 ? '|' : '';
  if (!inGroup && random() < 0.12) {
    return `${off}GROUP ${pick(random, ['web', 'db', 'gone'])}${random() < 0.3 ? ` -i ${pick(random, ['net0', 'net1'])}` : ''}`;
  }
  const parts: string[] = [];
  if (!inGroup && random() < 0.15) parts.push(`-i ${pick(random, ['net0', 'net1'])}`);
  if (random() < 0.5) parts.push(`-source ${random() < 0.01 ? REFUSED : pick(random, addresses)}`);
  if (random() < 0.3) parts.push(`-dest ${pick(random, addresses)}`);
  const proto = pick(random, [
    '',
    'tcp',
    'udp',
    'tcp',
    'udp',
    'icmp',
    'icmpv6',
    'ipv6-icmp',
    'gre',
    'sctp',
    'ah',
    '51',
  ]);
  if (proto !== '') parts.push(`-p ${proto}`);
  if (['tcp', 'udp', 'sctp'].includes(proto)) {
    if (random() < 0.6)
      parts.push(
        `-dport ${pick(random, ['22', '20:25', '53,80', '1:65535', '443,22,100:200', '135', 'domain', 'dicom'])}`,
      );
    if (random() < 0.2) parts.push(`-sport ${pick(random, ['53', '1024:65535', '68'])}`);
  }
  const types = { icmp: ICMP_4, icmpv6: ICMP_6, 'ipv6-icmp': ICMP_6 }[proto];
  // An older way to write a type; the compiler of iptables takes no port for the last protocol.
  const older = types && random() < 0.1;
  if (older) parts.push(`-dport ${pick(random, ['echo-request', 'packet-too-big', 'ssh'])}`);
  else if (types && random() < 0.6) parts.push(`-icmp-type ${pick(random, types)}`);
  const action = pick(random, ['ACCEPT', 'ACCEPT', 'DROP', 'REJECT']);
  const icmp = !older && (proto === 'icmp' || proto === 'icmpv6') ? ['Ping', 'NeighborDiscovery'] : [];
  const macros = proto === '' ? ['SSH', 'DNS', 'Ping', 'NeighborDiscovery', 'DHCPv6'] : icmp;
  const macro = macros.length > 0 && random() < 0.3 ? `${pick(random, macros)}(${action})` : action;
  return `${off}${pick(random, ['IN', 'IN', 'OUT'])} ${macro} ${parts.join(' ')}`.trim();
}

const lines = (random: Random, most: number, addresses: readonly string[], inGroup: boolean) =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, () => ruleLine(random, addresses, inGroup)).join('\n');

/** Rules for forwarded traffic: none of them rejects, or names an interface. */
export const forwardLines = (random: Random, most: number) =>
  lines(random, most, SHARED, true)
    .replace(/^(\|?)(IN|OUT) /gm, '$1FORWARD ')
    .replaceAll('REJECT', 'DROP');

/** Rules of the data center or of a node: their interfaces are not those of guests. */
export const hostLines = (random: Random, most: number) =>
  lines(random, most, SHARED, false).replaceAll(/ -i net\d/g, '');

export const option = (random: Random, share: number, name: string, values: readonly string[]) =>
  random() < share ? `${name}: ${pick(random, values)}\n` : '';

/** @param host extra content for nodes and forwarded traffic: more options, aliases, rules and rules of groups */
export const clusterFile = (
  random: Random,
  host: { options?: string; aliases?: string; rules?: string; members?: () => string } = {},
) => `[OPTIONS]

enable: 1
${host.options ?? ''}
[ALIASES]

${host.aliases ?? ''}
web 10.0.0.2
net 10.0.0.4/30

[IPSET mixed]

10.0.0.0/29
!10.0.0.2/31
10.0.0.3
fd00::/125
!fd00::1

[IPSET holes]

net
!10.0.0.5
${random() < 0.25 ? '\n[IPSET blacklist]\n\n10.0.0.6\nfd00::6\n' : ''}
[group web]

${lines(random, 3, SHARED, true)}
${host.members?.() ?? ''}

[group db]

${lines(random, 3, SHARED, true)}
${host.rules === undefined ? '' : `[RULES]\n\n${host.rules}\n`}`;

export type Implementation = 'iptables' | 'nftables';

export const hostFile = (random: Random, implementation: Implementation, more = '') => {
  const names = ['enable', 'nosmurfs', 'nf_conntrack_allow_invalid', 'tcpflags'];
  const options = names.map((name) => option(random, name === 'tcpflags' ? 0.6 : 0.25, name, ['0', '1']));
  return `[OPTIONS]\n\nnftables: ${implementation === 'nftables' ? 1 : 0}\n${options.join('')}${more}`;
};

export const guestFile = (random: Random) => {
  const options = [
    option(random, 0.5, 'policy_in', ['DROP', 'ACCEPT', 'REJECT']),
    option(random, 0.5, 'policy_out', ['DROP', 'ACCEPT', 'REJECT']),
    ...['dhcp', 'ndp', 'radv', 'macfilter'].map((name) => option(random, 0.5, name, ['0', '1'])),
    random() < 0.2 ? 'ipfilter: 1\n' : '',
  ].join('');
  return `[OPTIONS]

enable: ${random() < 0.08 ? 0 : 1}
${options}
[ALIASES]

web 10.0.0.1

[IPSET own]

web
fd00::2
${random() < 0.15 ? '\n[IPSET ipfilter-net0]\n\n10.0.0.0/30\n!10.0.0.1\nfe80::/64\n' : ''}${random() < 0.3 ? '\n[IPSET mixed]\n\n10.0.0.7\n' : ''}
[RULES]

${lines(random, 10, ADDRESSES, false)}
`;
};

/** Addresses of the node; the broadcast addresses of its networks are among the hosts below. */
export const NETWORKS: readonly (readonly string[])[] = [
  [],
  ['10.0.0.1/29'],
  ['10.0.1.1/24', '10.0.0.1/31', 'fd00::1/64'],
];

const HOSTS = {
  4: [
    ...Array.from({ length: 8 }, (_, i) => `10.0.0.${i}`),
    '10.0.1.9',
    '10.0.1.255',
    '8.8.8.8',
    '224.0.0.5',
    '255.255.255.255',
    '0.0.0.0',
  ],
  6: [...Array.from({ length: 8 }, (_, i) => `fd00::${i}`), '2001:db8::1', 'fe80::1', 'ff02::1'],
};
const PORTS = [0, 22, 104, 11_112, 25, 43, 53, 67, 68, 80, 135, 137, 138, 445, 443, 546, 547, 1900, 5000];
const DHCP = [
  [67, 68],
  [68, 67],
  [547, 546],
  [546, 547],
] as const;
/** Names of ICMP types in packets, with their numbers. */
const TYPES: Record<4 | 6, readonly (readonly [string, number, number])[]> = {
  4: [
    ['echo-request', 8, 0],
    ['echo-reply', 0, 0],
    ['source-quench', 4, 0],
    ['network-redirect', 5, 0],
    ['router-advertisement', 9, 0],
    ['router-solicitation', 10, 0],
    ['ip-header-bad', 12, 0],
    ['timestamp-request', 13, 0],
    ['timestamp-reply', 14, 0],
    ['address-mask-request', 17, 0],
    ['port-unreachable', 3, 3],
    ['fragmentation-needed', 3, 4],
    ['ttl-zero-during-transit', 11, 0],
  ],
  6: [
    ['echo-request', 128, 0],
    ['no-route', 1, 0],
    ['packet-too-big', 2, 0],
    ['ttl-zero-during-transit', 3, 0],
    ['bad-header', 4, 0],
    ['echo-reply', 129, 0],
    ['redirect', 137, 0],
    ['router-solicitation', 133, 0],
    ['router-advertisement', 134, 0],
    ['neighbor-solicitation', 135, 0],
  ],
};
const PROTOCOLS = { tcp: 6, udp: 17, icmp: 1, icmpv6: 58, gre: 47, ah: 51, sctp: 132 } as const;

/** The same packet for the simulator and for the evaluator. */
export function randomPacket(random: Random, vmid: number, mac: string) {
  const family = random() < 0.6 ? 4 : 6;
  const proto = pick(random, [
    'tcp',
    'tcp',
    'udp',
    'udp',
    family === 4 ? 'icmp' : 'icmpv6',
    'gre',
    'ah',
    'sctp',
  ] as const);
  const direction: 'in' | 'out' = random() < 0.6 ? 'in' : 'out';
  const ports = proto === 'tcp' || proto === 'udp' || proto === 'sctp';
  const drawn = [pick(random, PORTS), pick(random, PORTS)];
  const [sport, dport] = random() < 0.05 ? pick(random, DHCP) : drawn;
  const [type, number, code] = pick(random, TYPES[family]);
  const icmp = proto === 'icmp' || proto === 'icmpv6';
  const [from, to] = [pick(random, HOSTS[family]), pick(random, HOSTS[family])];
  const sourceMac = random() < 0.2 ? pick(random, [mac, '02:00:00:00:00:99']) : undefined;
  const tcpSyn = proto === 'tcp' && random() < 0.2 ? false : undefined;
  const simulated: Packet = {
    vmid,
    nic: 'net0',
    direction,
    proto,
    source: from,
    dest: to,
    ...(ports && { sport, dport }),
    ...(icmp && { icmpType: type }),
    ...(sourceMac !== undefined && { sourceMac }),
    ...(tcpSyn !== undefined && { tcpSyn }),
  };
  const [source, destination] = [parseIp(from), parseIp(to)];
  if (!source || !destination) throw new Error('an address of the test');
  const evaluated = {
    direction,
    source,
    destination,
    protocol: PROTOCOLS[proto],
    ...(ports && { source_port: sport, destination_port: dport }),
    ...(icmp && { icmp_type: number, icmp_code: code }),
    ...(sourceMac !== undefined && { source_mac: sourceMac }),
    ...(tcpSyn !== undefined && { tcp_syn: tcpSyn }),
  };
  return { simulated, evaluated };
}

/** A file as the API shows it. */
export const toApiView = (file: FirewallFile) => ({
  ipsets: Object.fromEntries([...file.ipsets].map(([name, { entries }]) => [name, entries])),
  aliases: Object.fromEntries([...file.aliases.values()].map(({ name, cidr }) => [name, cidr])),
});
export const numberRules = (rules: FirewallFile['rules']) => rules.map((rule, pos) => ({ ...rule, pos }));

/** Many states with few packets each: what is rare is in the states. */
export const PACKETS = 25;
// biome-ignore lint/style/noProcessEnv: how thorough the comparison is, chosen by the person who runs it
export const ROUNDS = Number(process.env.FABRIC_AGREEMENT_ROUNDS ?? 100);
