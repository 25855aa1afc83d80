import { ICMP, ICMPV6, TCP, UDP } from './data/protocols';
import type { Packet } from './packet';
import type { Builtin, DefiniteVerdict } from './verdict';

/** A rule of the hypervisor's own that holds: certainly, or as far as the packet is known. */
export type BuiltinHit = { readonly name: Builtin; readonly verdict: DefiniteVerdict; readonly certain: boolean };

type Answer = 'yes' | 'no' | 'unknown';

const between = (port: number | undefined, first: number, last = first): Answer =>
  port === undefined ? 'unknown' : first <= port && port <= last ? 'yes' : 'no';
const either = (...answers: Answer[]): Answer =>
  answers.includes('yes') ? 'yes' : answers.includes('unknown') ? 'unknown' : 'no';
const both = (...answers: Answer[]): Answer =>
  answers.includes('no') ? 'no' : answers.includes('unknown') ? 'unknown' : 'yes';
const when = (condition: boolean): Answer => (condition ? 'yes' : 'no');

const ALL_ONES = 0xffffffffn;
const MULTICAST_4 = 0xe0000000n;
const MULTICAST_4_END = 0xf0000000n;
const MULTICAST_6 = 0xffn << 120n;
const isMulticast = ({ family, value }: Packet['source']) =>
  family === 4 ? value >= MULTICAST_4 && value < MULTICAST_4_END : value >= MULTICAST_6;

/** Whether the packet goes to many: broadcast (IPv4 only) or multicast. */
export const goesToMany = ({ destination, broadcast }: Packet): boolean =>
  isMulticast(destination) || (destination.family === 4 && (broadcast === true || destination.value === ALL_ONES));

/** Whether the source is one that no single host may have: multicast or the broadcast address. IPv4 only. */
export const isSmurf = ({ source }: Packet): boolean =>
  source.family === 4 && (isMulticast(source) || source.value === ALL_ONES);

/** What rejecting a packet really does: ICMP and packets to or from many are dropped without an answer. */
export function rejectOutcome(packet: Packet): 'drop' | 'reject' {
  if (packet.source.family === 6) return packet.protocol === ICMPV6 ? 'drop' : 'reject';
  const toBroadcast = packet.broadcast === true || packet.destination.value === ALL_ONES;
  return packet.protocol === ICMP || toBroadcast || isMulticast(packet.source) ? 'drop' : 'reject';
}

function isCritical({ source, protocol, icmp_type: type, icmp_code: code }: Packet): Answer {
  if (source.family === 6) {
    return protocol === ICMPV6 ? either(between(type, 1), between(type, 2), between(type, 3)) : 'no';
  }
  return protocol === ICMP ? either(both(between(type, 3), between(code, 4)), between(type, 11)) : 'no';
}

function isWindowsNoise({ protocol, source_port: sport, destination_port: dport }: Packet): Answer {
  if (protocol === TCP) return either(between(dport, 135), between(dport, 139), between(dport, 445));
  if (protocol !== UDP) return 'no';
  const fromNetbios = both(between(sport, 137), between(dport, 1024, 65535));
  return either(between(dport, 135), between(dport, 445), between(dport, 137, 139), fromNetbios);
}

const NONE: readonly BuiltinHit[] = [];
const NOISY_PORTS = new Set([43, 53, 135, 137, 138, 139, 445, 1900]);

/** Whether certainly none of the rules below can hold; most packets are such. */
function isPlain({ protocol, source_port: sport, destination_port: dport, tcp_syn }: Packet): boolean {
  if (protocol === ICMP || protocol === ICMPV6 || tcp_syn === false) return false;
  if (protocol !== TCP && protocol !== UDP) return true;
  return sport !== undefined && dport !== undefined && !NOISY_PORTS.has(sport) && !NOISY_PORTS.has(dport);
}

/**
 * What stands between the guest's rules and a default of DROP or REJECT: packets that are dropped without a log entry,
 * and ICMP that is always let through.
 * @param reject what rejecting does to this packet
 * @returns the rules that hold, up to the first certain one
 */
export function beforeDefault(
  policy: 'DROP' | 'REJECT',
  packet: Packet,
  reject: 'drop' | 'reject',
): readonly BuiltinHit[] {
  if (isPlain(packet) && !goesToMany(packet)) return NONE;
  const { protocol } = packet;
  const noise = policy === 'DROP' ? 'drop' : reject;
  const udp = when(protocol === UDP);
  const whois = packet.source.family === 6 && protocol === TCP ? between(packet.destination_port, 43) : 'no';
  const steps: readonly (readonly [Builtin, Answer, DefiniteVerdict])[] = [
    ['whois', whois, reject],
    ['broadcast', when(goesToMany(packet)), 'drop'],
    ['critical_icmp', isCritical(packet), 'accept'],
    ['windows_noise', isWindowsNoise(packet), noise],
    ['upnp', both(udp, between(packet.destination_port, 1900)), 'drop'],
    ['not_syn', when(protocol === TCP && packet.tcp_syn === false), 'drop'],
    ['dns_reply', both(udp, between(packet.source_port, 53)), 'drop'],
  ];
  const hits: BuiltinHit[] = [];
  for (const [name, answer, verdict] of steps) {
    if (answer === 'no') continue;
    hits.push({ name, verdict, certain: answer === 'yes' });
    if (answer === 'yes') break;
  }
  return hits;
}
