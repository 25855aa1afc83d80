import { isIPv6 } from 'node:net';
import { PROTOCOL_NUMBERS } from '../firewall/vocabulary';
import { icmpNumber } from './icmp-numbers';
import type { Packet } from './packet';

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
