import { isIPv6 } from 'node:net';
import { PROTOCOL_NUMBERS } from '../firewall/vocabulary';
import type { Packet } from './packet';

/** Types and codes behind the names, as `iptables -p icmp -h` and `ip6tables -p icmpv6 -h` list them. */
const NUMBERS: Readonly<Record<4 | 6, Readonly<Record<string, readonly [type: number, code?: number]>>>> = {
  4: {
    'echo-reply': [0],
    'destination-unreachable': [3],
    'network-unreachable': [3, 0],
    'host-unreachable': [3, 1],
    'protocol-unreachable': [3, 2],
    'port-unreachable': [3, 3],
    'fragmentation-needed': [3, 4],
    'source-route-failed': [3, 5],
    'network-unknown': [3, 6],
    'host-unknown': [3, 7],
    'network-prohibited': [3, 9],
    'host-prohibited': [3, 10],
    'TOS-network-unreachable': [3, 11],
    'TOS-host-unreachable': [3, 12],
    'communication-prohibited': [3, 13],
    'host-precedence-violation': [3, 14],
    'precedence-cutoff': [3, 15],
    'source-quench': [4],
    redirect: [5],
    'network-redirect': [5, 0],
    'host-redirect': [5, 1],
    'TOS-network-redirect': [5, 2],
    'TOS-host-redirect': [5, 3],
    'echo-request': [8],
    'router-advertisement': [9],
    'router-solicitation': [10],
    'time-exceeded': [11],
    'ttl-zero-during-transit': [11, 0],
    'ttl-zero-during-reassembly': [11, 1],
    'parameter-problem': [12],
    'ip-header-bad': [12, 0],
    'required-option-missing': [12, 1],
    'timestamp-request': [13],
    'timestamp-reply': [14],
    'address-mask-request': [17],
    'address-mask-reply': [18],
  },
  6: {
    'destination-unreachable': [1],
    'no-route': [1, 0],
    'communication-prohibited': [1, 1],
    'beyond-scope': [1, 2],
    'address-unreachable': [1, 3],
    'port-unreachable': [1, 4],
    'failed-policy': [1, 5],
    'reject-route': [1, 6],
    'packet-too-big': [2],
    'time-exceeded': [3],
    'ttl-zero-during-transit': [3, 0],
    'ttl-zero-during-reassembly': [3, 1],
    'parameter-problem': [4],
    'bad-header': [4, 0],
    'unknown-header-type': [4, 1],
    'unknown-option': [4, 2],
    'echo-request': [128],
    'echo-reply': [129],
    'router-solicitation': [133],
    'router-advertisement': [134],
    'neighbor-solicitation': [135],
    'neighbour-solicitation': [135],
    'neighbor-advertisement': [136],
    'neighbour-advertisement': [136],
    redirect: [137],
  },
};

/** The number of a type by its name. */
export const icmpNumber = (name: string | undefined, family: 4 | 6): number | undefined =>
  name === undefined ? undefined : NUMBERS[family][name]?.[0];

/** Whether a packet of the type `sent` is one that a rule for `expected` means: a type means all of its codes. */
export function icmpTypeMatches(expected: string, sent: string | undefined, family: 4 | 6): boolean {
  if (expected === 'any') return true;
  if (sent === undefined) return false;
  const [type, code] = NUMBERS[family][expected] ?? [];
  const [sentType, sentCode] = NUMBERS[family][sent] ?? [];
  return type !== undefined && type === sentType && (code === undefined || code === sentCode);
}

/** ICMP requests that connection tracking takes for the start of something: echo, timestamp, information, address mask. */
const OPENING_4: readonly number[] = [8, 13, 15, 17];
/** Echo and node information requests; multicast and neighbor messages are exempt from tracking and pass as well. */
const PASSING_6: readonly number[] = [128, 139, 130, 131, 132, 133, 134, 135, 136, 143];

/**
 * Whether connection tracking calls a packet that belongs to no known connection invalid. Answers and errors without the
 * packet that they answer cannot open anything.
 */
export function isInvalid(packet: Packet): boolean {
  if (packet.invalid !== undefined) return packet.invalid;
  const number = PROTOCOL_NUMBERS.get(packet.proto) ?? packet.proto;
  const family = isIPv6(packet.source) ? 6 : 4;
  if (number !== (family === 4 ? '1' : '58')) return false;
  const type = icmpNumber(packet.icmpType, family);
  return type !== undefined && !(family === 4 ? OPENING_4 : PASSING_6).includes(type);
}
