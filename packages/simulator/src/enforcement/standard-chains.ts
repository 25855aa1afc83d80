import { isIPv6 } from 'node:net';
import { PROTOCOL_NUMBERS } from '../firewall/vocabulary';
import { addressRange } from './address-range';
import type { HostFilter } from './host-filter';
import { icmpTypeMatches, isInvalid } from './icmp-numbers';
import type { Packet } from './packet';

type Family = 4 | 6;
type Outcome = 'accept' | 'drop' | 'reject';

export const getFamily = (packet: Packet): Family => (isIPv6(packet.source) ? 6 : 4);

const number = (packet: Packet) => PROTOCOL_NUMBERS.get(packet.proto) ?? packet.proto;

function isIn(text: string, network: string): boolean {
  const [address, range] = [addressRange(text), addressRange(network)];
  return (
    address !== undefined &&
    range !== undefined &&
    address.family === range.family &&
    range.first <= address.first &&
    address.first <= range.last
  );
}

/** What the kernel takes for a broadcast: all ones, all zeros, and the last address of each of the node's networks. */
export function isBroadcast(address: string, { broadcasts }: Pick<HostFilter, 'broadcasts'>): boolean {
  const range = addressRange(address);
  return address === '255.255.255.255' || address === '0.0.0.0' || (range?.family === 4 && broadcasts.has(range.first));
}
export const isMulticast = (address: string) => isIn(address, '224.0.0.0/4') || isIn(address, 'ff00::/8');

/** A source that no single host may have (`PVEFW-smurfs`); IPv4 only. */
export const isSmurf = (packet: Packet, host: HostFilter): boolean =>
  getFamily(packet) === 4 &&
  // Senders without an address ask for one by DHCP.
  packet.source !== '0.0.0.0' &&
  (isBroadcast(packet.source, host) || isIn(packet.source, '224.0.0.0/4'));

/**
 * `PVEFW-reject`: some packets are dropped without an answer. Of the answers to what a guest sends, only the reset of a
 * TCP connection finds its way back.
 */
export function toRejectVerdict(packet: Packet, host: HostFilter): 'drop' | 'reject' {
  if (packet.direction === 'out' && number(packet) !== '6') return 'drop';
  if (number(packet) !== '6' && isMulticast(packet.dest)) return 'drop';
  if (getFamily(packet) === 6) return number(packet) === '58' ? 'drop' : 'reject';
  const silent = isBroadcast(packet.dest, host) || isIn(packet.source, '224.0.0.0/4') || number(packet) === '1';
  return silent ? 'drop' : 'reject';
}

const CRITICAL: Record<Family, readonly string[]> = {
  4: ['fragmentation-needed', 'time-exceeded'],
  6: ['destination-unreachable', 'packet-too-big', 'time-exceeded'],
};

const isPortInRanges = (port: number | undefined, ...ranges: readonly (readonly [number, number])[]) =>
  port !== undefined && ranges.some(([first, last]) => first <= port && port <= last);

function isWindowsNoise(packet: Packet): boolean {
  const { sport, dport } = packet;
  if (number(packet) === '6') return isPortInRanges(dport, [135, 135], [139, 139], [445, 445]);
  if (number(packet) !== '17') return false;
  return (
    isPortInRanges(dport, [135, 135], [445, 445], [137, 139]) || (sport === 137 && isPortInRanges(dport, [1024, 65535]))
  );
}

/**
 * `PVEFW-Drop` and `PVEFW-Reject`, evaluated before a default policy that drops or rejects: noise is dropped without a
 * log entry, ICMP that connections depend on passes. Undefined: neither.
 */
export function standardChain(policy: 'DROP' | 'REJECT', packet: Packet, host: HostFilter): Outcome | undefined {
  const family = getFamily(packet);
  const protocol = number(packet);
  const noise = policy === 'DROP' ? 'drop' : toRejectVerdict(packet, host);
  if (family === 6 && protocol === '6' && packet.dport === 43) return toRejectVerdict(packet, host);
  if (isMulticast(packet.dest) || isBroadcast(packet.dest, host)) return 'drop';
  const ownIcmp = protocol === (family === 4 ? '1' : '58');
  if (ownIcmp && CRITICAL[family].some((type) => icmpTypeMatches(type, packet.icmpType, family))) return 'accept';
  if (isInvalid(packet)) return 'drop';
  if (isWindowsNoise(packet)) return noise;
  if (protocol === '17' && packet.dport === 1900) return 'drop';
  if (protocol === '6' && packet.tcpSyn === false) return 'drop';
  if (protocol === '17' && packet.sport === 53) return 'drop';
  return undefined;
}
