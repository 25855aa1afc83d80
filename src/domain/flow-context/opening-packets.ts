import { hasPorts, ICMP, ICMPV6 } from '../firewall/data/protocols';
import type { Packet } from '../firewall/packet';
import { getFlowProtocolNumber } from '../flow/protocols';
import { getServicePort } from '../flow/service-port';
import { type IpAddress, parseIp } from '../net/ip-address';
import type { ContextReason, FlowFacts } from './flow-context';

/** The packet that may have opened the flow's conversation, at a guest at `end`. */
export type Opening = {
  readonly packet: Packet;
  /** The flow is the reply direction: its packets are not the one that is evaluated. */
  readonly turned: boolean;
};

/** Flows of one guest name few addresses again and again. */
const MAX_KNOWN = 4_096;
const known = new Map<string, IpAddress | null>();

function readIp(text: string): IpAddress | null {
  let ip = known.get(text);
  if (ip === undefined) {
    ip = parseIp(text);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, ip);
  }
  return ip;
}

/** ICMP messages that answer one of another type. */
const ANSWERS: Readonly<Record<number, ReadonlyMap<number, number>>> = {
  [ICMP]: new Map([
    [0, 8],
    [14, 13],
    [16, 15],
    [18, 17],
  ]),
  [ICMPV6]: new Map([[129, 128]]),
};

/** Errors belong to a conversation that exists, if they are not made up. */
const isError = (protocol: number, type: number | undefined) =>
  type !== undefined &&
  (protocol === ICMP ? [3, 4, 5, 11, 12].includes(type) : protocol === ICMPV6 && type >= 1 && type <= 4);

/** Whether the flow is the reply direction; null when unknown. */
function isReply(flow: FlowFacts, protocol: number): boolean | null {
  if (flow.initiator) return flow.initiator === 'destination';
  const answers = ANSWERS[protocol];
  if (answers) return typeof flow.icmp_type === 'number' && answers.has(flow.icmp_type);
  const { service_port, reply } = getServicePort(flow);
  // Both ports are of those that callers have: either end may have called.
  return service_port === null && flow.destination_port !== null ? null : reply;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function toPacket(
  flow: FlowFacts,
  protocol: number,
  source: IpAddress,
  destination: IpAddress,
  inbound: boolean,
  turned: boolean,
): Packet {
  const packet: Mutable<Packet> = {
    direction: inbound !== turned ? 'in' : 'out',
    source: turned ? destination : source,
    destination: turned ? source : destination,
    protocol,
  };
  if (hasPorts(protocol)) {
    const [from, to] = turned ? [flow.destination_port, flow.source_port] : [flow.source_port, flow.destination_port];
    if (from !== null) packet.source_port = from;
    if (to !== null) packet.destination_port = to;
  }
  const type = flow.icmp_type;
  if (typeof type === 'number') {
    const request = turned ? ANSWERS[protocol]?.get(type) : undefined;
    packet.icmp_type = request ?? type;
    if (request !== undefined) packet.icmp_code = 0;
    else if (typeof flow.icmp_code === 'number') packet.icmp_code = flow.icmp_code;
  }
  return packet;
}

/**
 * The packets of which one opened the conversation that a flow is a direction of, as a guest at `end` sees them: one,
 * or two when the client is unknown. Replies are reversed. A reason when no packet can be derived from the flow.
 */
export function openingPackets(flow: FlowFacts, end: 'source' | 'destination'): readonly Opening[] | ContextReason {
  const protocol = getFlowProtocolNumber(flow.protocol);
  if (protocol === null || protocol === 0) return 'unknown_protocol';
  const source = readIp(flow.source_ip);
  const destination = readIp(flow.destination_ip);
  if (!source || !destination || source.family !== destination.family) return 'unknown_opening';
  const inbound = end === 'destination';
  const make = (turned: boolean): Opening => ({
    packet: toPacket(flow, protocol, source, destination, inbound, turned),
    turned,
  });
  const reply = isReply(flow, protocol);
  if (reply === null) return [make(false), make(true)];
  const opening = make(reply);
  const { packet } = opening;
  if (!reply && isError(protocol, packet.icmp_type))
    return [opening, { ...opening, packet: { ...packet, state: 'related' } }];
  return [opening];
}
