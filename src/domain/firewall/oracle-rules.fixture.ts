import type { LiveCluster, LiveRule } from './live-state';
import {
  address,
  alias,
  and,
  formatCachedIp,
  inBlock,
  or,
  type Sight,
  type Tri,
  tri,
} from './oracle-addresses.fixture';
import type { Packet } from './packet';

// The oracle's literal reading of single rules.
export type Outcome = 'accept' | 'drop' | 'reject' | 'unknown';

export const either = (value: boolean | null): boolean[] => (value === null ? [true, false] : [value]);

const SERVICES: Record<string, number> = { ssh: 22, http: 80, domain: 53, dicom: 104 };

function port(text: string | undefined, value: number | undefined, nft = false): Tri {
  if (!text || text === '0') return 'y';
  if (value === undefined) return '?';
  const answers = text.split(',').map((item): Tri => {
    const [low = '', high = low] = item.split(':');
    const [a, b] = [low, high].map((end) =>
      /^\d+$/.test(end) ? Number(end) : nft && end === 'dicom' ? 11_112 : SERVICES[end],
    );
    return a === undefined || b === undefined ? '?' : tri(a <= value && value <= b);
  });
  return or(...answers);
}

const NUMBERS: Record<string, number> = {
  icmp: 1,
  tcp: 6,
  udp: 17,
  gre: 47,
  ah: 51,
  icmpv6: 58,
  'ipv6-icmp': 58,
  sctp: 132,
};
const TYPES: Record<string, [number, number?]> = {
  'icmp echo-request': [8],
  'icmp fragmentation-needed': [3, 4],
  'icmp destination-unreachable': [3],
  'icmpv6 echo-request': [128],
  'icmpv6 packet-too-big': [2],
  'icmpv6 router-solicitation': [133],
  'icmpv6 router-advertisement': [134],
  'icmpv6 neighbor-solicitation': [135],
  'icmpv6 neighbor-advertisement': [136],
};

function icmp(name: string | undefined, v6: boolean, packet: Packet): Tri {
  if (!name || name === 'any') return 'y';
  const expected = TYPES[`${v6 ? 'icmpv6' : 'icmp'} ${name}`];
  if (!expected) return '?';
  if (packet.icmp_type === undefined) return '?';
  if (packet.icmp_type !== expected[0]) return 'n';
  if (expected[1] === undefined) return 'y';
  return packet.icmp_code === undefined ? '?' : tri(packet.icmp_code === expected[1]);
}

/** Two types that have to match both. No packet has two, whether or not its own is known. */
function matchTypes(one: string | undefined, other: string | undefined, v6: boolean, packet: Packet): Tri {
  const [a, b] = [one, other].map((name) => TYPES[`${v6 ? 'icmpv6' : 'icmp'} ${name}`]);
  const isSame = !a || !b || (a[0] === b[0] && (a[1] === undefined || b[1] === undefined || a[1] === b[1]));
  return isSame ? and(icmp(one, v6, packet), icmp(other, v6, packet)) : 'n';
}

const DISCOVERY = ['router-solicitation', 'router-advertisement', 'neighbor-solicitation', 'neighbor-advertisement'];
const MACROS: Record<string, readonly (readonly [proto: string, what: string])[]> = {
  ssh: [['tcp', '22']],
  dns: [
    ['udp', '53'],
    ['tcp', '53'],
  ],
  ping: [
    ['icmp', 'echo-request'],
    ['icmpv6', 'echo-request'],
  ],
  neighbordiscovery: DISCOVERY.map((type) => ['icmpv6', type] as const),
};

/** Each rule that iptables makes of one. A macro has its ICMP type where others have a port, and its own form for each family. */
export function matchIptables({ macro, ...rule }: LiveRule, packet: Packet, sight: Sight): Tri[] {
  if (!macro) return [plainIptables(rule, packet, sight)];
  if (rule.proto && plainIptables({ ...rule, 'icmp-type': '' }, packet, sight) === 'n') return [];
  return (MACROS[macro.toLowerCase()] ?? []).map(([proto, dport]) =>
    plainIptables({ ...rule, proto, dport }, packet, sight),
  );
}

/** Each rule that nftables makes of one. A part adds to the protocol of the rule, or nothing where the families differ. */
export function matchNftables({ macro, ...rule }: LiveRule, packet: Packet, sight: Sight): Tri[] {
  if (!macro) return [plainNftables(rule, packet, sight)];
  return (MACROS[macro.toLowerCase()] ?? []).map(([proto, what]) => {
    if (!proto.includes('icmp')) return plainNftables({ ...rule, proto, dport: what }, packet, sight);
    const added = plainNftables({ ...rule, proto, 'icmp-type': what }, packet, sight);
    if (!rule.proto) return added;
    const own = plainNftables(rule, packet, sight);
    if (proto !== rule.proto) return own;
    return and(own, added, matchTypes(rule['icmp-type'], what, packet.source.family === 6, packet));
  });
}

/** Whether what ICMP has in the place of a port is no type, so that no rule comes of it; this protocol may have none there. */
function isNoType({ proto, dport }: LiveRule, v6: boolean): boolean {
  if (!dport || dport === '0') return false;
  if (proto === 'ipv6-icmp') return true;
  return /^\d+$/.test(dport) ? Number(dport) > 255 : dport === 'any' ? v6 : !(`${proto} ${dport}` in TYPES);
}

/** Whether a rule of a group stops what generates the chains for iptables: ports of ICMP that are no types, and objects that are not those of the data center. */
export function isDeadly(rule: LiveRule, v6: boolean, { ipsets, aliases }: LiveCluster): boolean {
  if (rule.enable !== 1 || rule.errors || !['in', 'out'].includes(rule.type)) return false;
  const [proto, texts] = [rule.proto ?? '', [rule.source ?? '', rule.dest ?? '']];
  const family = (text: string): boolean | undefined => {
    if (text === '' || text.startsWith('+')) return undefined;
    if (!/^(dc\/|guest\/)?[A-Za-z][\w-]+$/.test(text)) return text.includes(':');
    const value = alias(text, {
      cluster: { ipsets, aliases, firewall_enabled: true, groups: {} },
      guest: null,
      nft: false,
    });
    return value === '?' ? undefined : value.includes(':');
  };
  const named = proto === 'icmp' ? false : proto.includes('icmp') ? true : undefined;
  const limited = [named, ...texts.map(family)].find((found) => found !== undefined);
  if (limited !== undefined && limited !== v6) return false;
  if (named !== undefined && isNoType(rule, v6)) return true;
  return texts.some((text) => {
    if (/^\+?guest\//.test(text)) return true;
    const name = text.replace(/^\+(dc|sdn)\//, '');
    if (name === text || !ipsets) return false;
    return text.startsWith('+sdn') ? ipsets[name] !== undefined : ipsets[name] === undefined;
  });
}

/** In IPv6 these are not protocols but headers in front of one. */
const HEADERS = [0, 43, 44, 51, 60];

/** Whether a reference with a scope certainly has nothing behind it: no rule comes of that. */
function isGone(text: string | undefined, sight: Sight): boolean {
  const [, set, scope, name = ''] = /^(\+?)(dc|guest)\/(.*)$/.exec(text ?? '') ?? [];
  if (scope === undefined) return false;
  const objects = scope === 'dc' ? sight.cluster : sight.guest;
  if (!objects) return true;
  if (set) return objects.ipsets !== null && !objects.ipsets[name];
  return objects.aliases !== null && alias(text ?? '', sight) === '?';
}

function plainIptables(rule: LiveRule, packet: Packet, sight: Sight): Tri {
  if (isGone(rule.source, sight) || isGone(rule.dest, sight)) return 'n';
  const v6 = packet.source.family === 6;
  const named = rule.proto === 'icmp' ? 'v4' : rule.proto?.includes('icmp') ? 'v6' : 'both';
  if (named !== 'both' && (named === 'v6') !== v6) return 'n';
  const number = rule.proto ? (NUMBERS[rule.proto] ?? Number(rule.proto)) : 0;
  if (Number.isNaN(number)) return '?';
  const isIcmp = named !== 'both';
  if (isIcmp && isNoType(rule, v6)) return 'n';
  if (number !== 0 && (number !== packet.protocol || (v6 && HEADERS.includes(number)))) return 'n';
  return and(
    isIcmp
      ? matchTypes(rule['icmp-type'], rule.dport === '0' ? '' : rule.dport, v6, packet)
      : and(port(rule.sport, packet.source_port), port(rule.dport, packet.destination_port)),
    address(rule.source, formatCachedIp(packet.source), sight),
    address(rule.dest, formatCachedIp(packet.destination), sight),
  );
}

function plainNftables(rule: LiveRule, packet: Packet, sight: Sight): Tri {
  if (isGone(rule.source, sight) || isGone(rule.dest, sight)) return 'n';
  const v6 = packet.source.family === 6;
  const number = rule.proto ? (NUMBERS[rule.proto] ?? Number(rule.proto)) : null;
  if (number !== null && (number !== packet.protocol || (v6 && HEADERS.includes(number)))) return 'n';
  if ((number === 1 && v6) || (number === 58 && !v6)) return 'n';
  let answer: Tri = 'y';
  if (number === 1 || number === 58) answer = icmp(rule['icmp-type'], v6, packet);
  if (number === 6 || number === 17 || number === 132) {
    answer = and(port(rule.sport, packet.source_port, true), port(rule.dport, packet.destination_port, true));
  }
  // The first thing that says something about the family settles it; what is of the other family later is skipped.
  let settled = number === 1 || number === 58;
  for (const [text, ip] of [
    [rule.source, packet.source],
    [rule.dest, packet.destination],
  ] as const) {
    if (!text) continue;
    const found = address(text, formatCachedIp(ip), sight);
    const value = /^(dc\/|guest\/)?[A-Za-z][\w-]+$/.test(text) ? alias(text, sight) : text;
    const whole = text.startsWith('+') || value.split(',').every((block) => inBlock(block, '::') !== '?');
    if (!whole) answer = and(answer, '?');
    else if (text.startsWith('+') || value.includes(':') === v6) answer = and(answer, found);
    else if (!settled) return 'n';
    settled = true;
  }
  return answer;
}
