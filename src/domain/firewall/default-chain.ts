import { trackedState } from './connection-state';
import { ICMP, ICMPV6, TCP, UDP } from './data/protocols';
import { isMulticast, type Packet } from './packet';
import type { PreparedNode } from './prepare-node';
import { isBroadcast, rejectOutcome } from './reject-outcome';
import type { Builtin, DefiniteVerdict, UnknownReason } from './verdict';

type Outcome = DefiniteVerdict | 'unknown';
/** A rule of the hypervisor's own that holds: certainly, or as far as the packet and the node are known. */
export type BuiltinHit = {
  readonly name: Builtin;
  readonly verdict: Outcome;
  readonly certain: boolean;
  readonly reason: UnknownReason;
};

type Answer = 'yes' | 'no' | 'unknown';

const between = (port: number | undefined, first: number, last = first): Answer =>
  port === undefined ? 'unknown' : first <= port && port <= last ? 'yes' : 'no';
const either = (...answers: Answer[]): Answer =>
  answers.includes('yes') ? 'yes' : answers.includes('unknown') ? 'unknown' : 'no';
const both = (...answers: Answer[]): Answer =>
  answers.includes('no') ? 'no' : answers.includes('unknown') ? 'unknown' : 'yes';
const toAnswer = (condition: boolean): Answer => (condition ? 'yes' : 'no');

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
/** Whether one of the rules below looks for the port. Compared in place: a set costs more than the rest of the default. */
const isNoisy = (port: number) =>
  port === 43 || port === 53 || (port >= 135 && port <= 139) || port === 445 || port === 1900;

/** Whether certainly none of the rules below can hold; most packets are such. */
function isPlain({ protocol, source_port: sport, destination_port: dport, tcp_syn, state }: Packet): boolean {
  if (protocol === ICMP || protocol === ICMPV6 || tcp_syn === false || state === 'invalid') return false;
  if (protocol !== TCP && protocol !== UDP) return true;
  return sport !== undefined && dport !== undefined && !isNoisy(sport) && !isNoisy(dport);
}

/**
 * What is evaluated between the guest's rules and a default of DROP or REJECT: packets that are dropped without a log
 * entry, and ICMP that is always allowed.
 * @returns the rules that apply, up to the first certain one
 */
export function listBuiltinHits(
  policy: 'DROP' | 'REJECT',
  packet: Packet,
  { broadcasts, drop_invalid }: PreparedNode,
): readonly BuiltinHit[] {
  const toMany = isMulticast(packet.destination) || isBroadcast(packet, broadcasts);
  if (toMany === false && isPlain(packet)) return NONE;
  const { protocol } = packet;
  const reject = rejectOutcome(packet, broadcasts, 'iptables');
  const noise = policy === 'DROP' ? 'drop' : reject;
  const udp = toAnswer(protocol === UDP);
  const state = trackedState(packet);
  const invalid = drop_invalid ? 'no' : state === 'unknown' ? 'unknown' : toAnswer(state === 'invalid');
  const whois = packet.source.family === 6 && protocol === TCP ? between(packet.destination_port, 43) : 'no';
  const steps: readonly (readonly [Builtin, Answer, Outcome])[] = [
    ['whois', whois, reject],
    ['broadcast', toMany === null ? 'unknown' : toAnswer(toMany), 'drop'],
    // Outside of connections it is invalid, so it gets here only where invalid packets are let through.
    ['critical_icmp', drop_invalid ? 'no' : isCritical(packet), 'accept'],
    ['invalid', invalid, 'drop'],
    ['windows_noise', isWindowsNoise(packet), noise],
    ['upnp', both(udp, between(packet.destination_port, 1900)), 'drop'],
    ['not_syn', toAnswer(protocol === TCP && packet.tcp_syn === false), 'drop'],
    ['dns_reply', both(udp, between(packet.source_port, 53)), 'drop'],
  ];
  const hits: BuiltinHit[] = [];
  for (const [name, answer, verdict] of steps) {
    if (answer === 'no') continue;
    const reason = name === 'broadcast' || verdict === 'unknown' ? 'unknown_node_networks' : 'unknown_packet_detail';
    hits.push({ name, verdict, certain: answer === 'yes', reason });
    if (answer === 'yes') break;
  }
  return hits;
}
