import { formatIp, type IpAddress } from '../net/ip-address';
import type { LiveCluster, LiveGuest, LiveNic, LiveRule, LiveSetEntry, LiveState } from './live-state';
import type { Packet } from './packet';

/**
 * A second, slow and literal reading of the packet filter, for tests only: it works on texts and bit strings and shares
 * nothing with the evaluator but the types.
 */
const texts = new WeakMap<IpAddress, string>();
function textOf(ip: IpAddress): string {
  const text = texts.get(ip) ?? formatIp(ip);
  texts.set(ip, text);
  return text;
}

type Tri = 'y' | 'n' | '?';
type Sight = { cluster: LiveCluster; guest: LiveGuest | null };

const and = (...all: Tri[]): Tri => (all.includes('n') ? 'n' : all.includes('?') ? '?' : 'y');
const or = (...all: Tri[]): Tri => (all.includes('y') ? 'y' : all.includes('?') ? '?' : 'n');
const tri = (value: boolean): Tri => (value ? 'y' : 'n');

/** An address as a string of 32 or 128 binary digits, or null. */
function bits(text: string): string | null {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(text)) {
    const octets = text.split('.');
    if (octets.some((octet) => Number(octet) > 255 || String(Number(octet)) !== octet)) return null;
    return octets.map((octet) => Number(octet).toString(2).padStart(8, '0')).join('');
  }
  if (!/^[0-9a-f:]+$/i.test(text) || !text.includes(':')) return null;
  const [left = '', right] = text.split('::');
  const head = left.split(':').filter(Boolean);
  const tail = (right ?? '').split(':').filter(Boolean);
  const groups = right === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

function inBlock(block: string, ip: string): Tri {
  const mine = bits(ip) ?? '';
  const [low, high] = block.split('-');
  if (high !== undefined) {
    const [a, b] = [bits(low ?? ''), bits(high)];
    if (a === null || b === null) return '?';
    return tri(a.length === mine.length && a <= mine && mine <= b);
  }
  const [address = '', prefix] = block.split('/');
  const net = bits(address);
  if (net === null) return '?';
  const length = prefix === undefined ? net.length : Number(prefix);
  return tri(net.length === mine.length && net.slice(0, length) === mine.slice(0, length));
}

const lower = (record: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]));

function alias(reference: string, sight: Sight): string | '?' {
  const scoped = reference.split('/');
  const name = (scoped.at(-1) ?? '').toLowerCase();
  const places = scoped.length === 1 ? ['guest', 'dc'] : [scoped[0]];
  for (const place of places) {
    const objects = place === 'guest' ? sight.guest : sight.cluster;
    if (!objects) continue;
    if (objects.aliases === null) return '?';
    const found = lower(objects.aliases)[name];
    if (found) return found;
  }
  return '?';
}

function inSet(entries: readonly LiveSetEntry[], ip: string, sight: Sight): Tri {
  let best: { length: number; match: boolean } | null = null;
  let doubt = false;
  for (const entry of entries) {
    if (entry.errors) continue;
    const text = /^[a-z]/i.test(entry.cidr) && !entry.cidr.includes(':') ? alias(entry.cidr, sight) : entry.cidr;
    const answer = inBlock(text, ip);
    if (answer === '?') {
      if (entry.nomatch) return '?';
      doubt = true;
    }
    const length = Number(text.split('/')[1] ?? 999);
    if (answer === 'y' && (!best || length > best.length)) best = { length, match: !entry.nomatch };
  }
  return best?.match ? 'y' : doubt ? '?' : 'n';
}

// The universe of a test is small: the same questions come again and again.
const remembered = new WeakMap<LiveCluster, Map<string, Tri>>();

function address(text: string | undefined, ip: string, sight: Sight): Tri {
  if (!text) return 'y';
  const memory = remembered.get(sight.cluster) ?? new Map<string, Tri>();
  remembered.set(sight.cluster, memory);
  const key = `${sight.guest ? 'guest' : 'group'} ${text} ${ip}`;
  const answer = memory.get(key) ?? readAddress(text, ip, sight);
  memory.set(key, answer);
  return answer;
}

function readAddress(text: string, ip: string, sight: Sight): Tri {
  if (text.startsWith('+')) {
    const scoped = text.slice(1).split('/');
    const name = scoped.at(-1) ?? '';
    if (scoped[0] === 'sdn' && scoped.length > 1) return '?';
    const places = scoped.length === 1 ? ['guest', 'dc'] : [scoped[0]];
    for (const place of places) {
      const objects = place === 'guest' ? sight.guest : sight.cluster;
      if (!objects) continue;
      if (objects.ipsets === null) return '?';
      const set = objects.ipsets[name];
      if (!set) continue;
      const seen = objects === sight.guest ? sight : { ...sight, guest: null };
      const answer = inSet(set, ip, seen);
      return name === 'management' && objects !== sight.guest ? or(answer, '?') : answer;
    }
    return '?';
  }
  if (/^(dc\/|guest\/)?[A-Za-z][\w-]+$/.test(text)) {
    const value = alias(text, sight);
    return value === '?' ? '?' : inBlock(value, ip);
  }
  // A list that is wrong in one place is not trusted in another.
  const answers = text.split(',').map((block) => inBlock(block, ip));
  return answers.includes('?') ? '?' : or(...answers);
}

const SERVICES: Record<string, number> = { ssh: 22, http: 80, domain: 53 };

function port(text: string | undefined, value: number | undefined): Tri {
  if (!text || text === '0') return 'y';
  if (value === undefined) return '?';
  const answers = text.split(',').map((item): Tri => {
    const [low = '', high = low] = item.split(':');
    const [a, b] = [low, high].map((end) => (/^\d+$/.test(end) ? Number(end) : SERVICES[end]));
    return a === undefined || b === undefined ? '?' : tri(a <= value && value <= b);
  });
  return or(...answers);
}

const NUMBERS: Record<string, number> = { icmp: 1, tcp: 6, udp: 17, gre: 47, icmpv6: 58, 'ipv6-icmp': 58, sctp: 132 };
const TYPES: Record<string, [number, number?]> = {
  'icmp echo-request': [8],
  'icmp fragmentation-needed': [3, 4],
  'icmp destination-unreachable': [3],
  'icmpv6 echo-request': [128],
  'icmpv6 packet-too-big': [2],
};

function icmp(rule: LiveRule, packet: Packet): Tri {
  const name = rule['icmp-type'] || rule.dport;
  if (!name || name === 'any') return 'y';
  const wanted = TYPES[`${rule.proto === 'icmp' ? 'icmp' : 'icmpv6'} ${name}`];
  if (!wanted) return '?';
  if (packet.icmp_type === undefined) return '?';
  if (packet.icmp_type !== wanted[0]) return 'n';
  if (wanted[1] === undefined) return 'y';
  return packet.icmp_code === undefined ? '?' : tri(packet.icmp_code === wanted[1]);
}

const MACROS: Record<string, (v6: boolean) => Partial<LiveRule>[]> = {
  ssh: () => [{ proto: 'tcp', dport: '22' }],
  dns: () => [
    { proto: 'udp', dport: '53' },
    { proto: 'tcp', dport: '53' },
  ],
  ping: (v6) => [{ proto: v6 ? 'icmpv6' : 'icmp', 'icmp-type': 'echo-request' }],
};

function plain(rule: LiveRule, packet: Packet, sight: Sight): Tri {
  const v6 = packet.source.family === 6;
  const named = rule.proto === 'icmp' ? 'v4' : rule.proto?.includes('icmp') ? 'v6' : 'both';
  if (named !== 'both' && (named === 'v6') !== v6) return 'n';
  const number = rule.proto ? (NUMBERS[rule.proto] ?? Number(rule.proto)) : 0;
  if (Number.isNaN(number)) return '?';
  const isIcmp = named !== 'both';
  if (number !== 0 && number !== packet.protocol) return 'n';
  return and(
    isIcmp ? icmp(rule, packet) : and(port(rule.sport, packet.source_port), port(rule.dport, packet.destination_port)),
    address(rule.source, textOf(packet.source), sight),
    address(rule.dest, textOf(packet.destination), sight),
  );
}

type Outcome = 'accept' | 'drop' | 'reject' | 'unknown';

/** Every verdict that is possible, given what is not known; one element when the verdict is certain. */
export function possibleVerdicts(state: LiveState, nic: LiveNic, packet: Packet): Set<Outcome> {
  const options = state.guest.options;
  const v6 = packet.source.family === 6;
  const [source, destination] = [textOf(packet.source), textOf(packet.destination)];
  const incoming = packet.direction === 'in';
  const sport = packet.source_port;
  const dport = packet.destination_port;
  const isIcmp = packet.protocol === (v6 ? 58 : 1);
  const toMany = v6
    ? destination.startsWith('ff')
    : destination === '255.255.255.255' || /^2(2[4-9]|3\d)\./.test(destination);
  const fromMulticast = !v6 && /^2(2[4-9]|3\d)\./.test(source);
  const fromMany = fromMulticast || source === '255.255.255.255';
  const rejected: Outcome =
    isIcmp ||
    (!v6 && (destination === '255.255.255.255' || fromMulticast)) ||
    (incoming && state.implementation === 'nftables')
      ? 'drop'
      : 'reject';
  const result = new Set<Outcome>();
  let over = false;
  const step = (answer: Tri, outcome: Outcome) => {
    if (over || answer === 'n') return;
    result.add(outcome);
    over = answer === 'y';
  };
  const is = (value: number | undefined, ...wanted: number[]): Tri =>
    value === undefined ? '?' : tri(wanted.includes(value));
  const udp = tri(packet.protocol === 17);
  const tcp = tri(packet.protocol === 6);

  if (!options) return new Set(['unknown']);
  if (incoming) {
    if (state.cluster.ipsets === null) step('?', 'drop');
    const list = state.cluster.ipsets?.blacklist;
    if (list) step(inSet(list, source, { cluster: state.cluster, guest: null }), 'drop');
    step(tri(fromMany), 'drop');
  }
  const [client, server] = v6 ? [546, 547] : [68, 67];
  if (options.dhcp !== 0) {
    step(and(udp, is(sport, incoming ? server : client), is(dport, incoming ? client : server)), 'accept');
  }
  const type = packet.icmp_type;
  if (!incoming) {
    if (options.macfilter !== 0 && packet.source_mac) step(tri(packet.source_mac !== nic.mac), 'drop');
    if (v6 && options.radv !== 1) step(and(tri(isIcmp), is(type, 134)), 'drop');
    const own = state.guest.ipsets?.[`ipfilter-${nic.name}`];
    if (own || options.ipfilter === 1) {
      // Only the address that the tests' MAC 02:00:00:00:00:01 implies is link-local and allowed.
      const entries = [{ cidr: 'fe80::/10', nomatch: 1 }, { cidr: 'fe80::ff:fe00:1' }, ...(own ?? [])];
      const answer = inSet(entries, source, { cluster: state.cluster, guest: state.guest });
      step(answer === 'y' ? 'n' : answer === 'n' ? 'y' : '?', 'drop');
    }
  }
  if (v6 && options.ndp !== 0) {
    const types = [133, 135, 136, ...(incoming || options.radv === 1 ? [134] : [])];
    step(and(tri(isIcmp), is(type, ...types)), 'accept');
  }
  const outcome: Record<string, Outcome> = { ACCEPT: 'accept', DROP: 'drop', REJECT: rejected };
  const walk = (rules: readonly LiveRule[], sight: Sight) => {
    for (const rule of rules) {
      if (rule.enable !== 1 || rule.errors || (rule.iface && rule.iface !== nic.name)) continue;
      if (rule.type === 'group') {
        if (!state.cluster.groups) step('?', 'unknown');
        else walk(state.cluster.groups[rule.action] ?? [], { cluster: state.cluster, guest: null });
      } else if (rule.type === packet.direction) {
        const parts = rule.macro ? (MACROS[rule.macro.toLowerCase()]?.(v6) ?? []) : [{}];
        for (const part of parts) step(plain({ ...rule, ...part }, packet, sight), outcome[rule.action] ?? 'unknown');
      }
    }
  };
  if (state.guest.rules) walk(state.guest.rules, { cluster: state.cluster, guest: state.guest });
  else step('?', 'unknown');

  const policy = incoming ? (options.policy_in ?? 'DROP') : (options.policy_out ?? 'ACCEPT');
  if (policy !== 'ACCEPT') {
    const noise = policy === 'DROP' ? 'drop' : rejected;
    if (v6) step(and(tcp, is(dport, 43)), rejected);
    step(tri(toMany), 'drop');
    const code = packet.icmp_code;
    step(and(tri(isIcmp), v6 ? is(type, 1, 2, 3) : or(and(is(type, 3), is(code, 4)), is(type, 11))), 'accept');
    step(and(udp, or(is(dport, 135, 445, 137, 138, 139), and(is(sport, 137), tri((dport ?? 0) >= 1024)))), noise);
    step(and(tcp, is(dport, 135, 139, 445)), noise);
    step(and(udp, is(dport, 1900)), 'drop');
    step(and(tcp, tri(packet.tcp_syn === false)), 'drop');
    step(and(udp, is(sport, 53)), 'drop');
  }
  step('y', outcome[policy] ?? 'unknown');
  return result;
}
