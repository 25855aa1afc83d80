import { ICMP, ICMPV6 } from '../firewall/data/protocols';
import { getFlowProtocolNumber } from '../flow/protocols';
import { compareIp, parseIp } from '../net/ip-address';
import type { IpfixRecord } from './ipfix';
import type { ForwardedConversation } from './record';

/** What was sent of a conversation in each direction; `low` is what the end sent that sorts first, be it the client or not. */
export type ExportedCounts = { low_bytes: number; low_packets: number; high_bytes: number; high_packets: number };

export const NOTHING_EXPORTED: ExportedCounts = { low_bytes: 0, low_packets: 0, high_bytes: 0, high_packets: 0 };

/** Reserved: a protocol of which only a name is known. */
const UNKNOWN_PROTOCOL = 255;

/** `forwardingStatus` of RFC 7270: forwarded, dropped by a rule, rejected by a rule, or unknown. */
const STATUSES: Readonly<Record<string, number>> = { allowed: 64, dropped: 130, rejected: 129 };

/** The type that answers one, of messages that are answered. */
const ANSWERS: Readonly<Record<number, Readonly<Record<number, number>>>> = {
  [ICMP]: { 8: 0, 10: 9, 13: 14, 17: 18 },
  [ICMPV6]: { 128: 129, 133: 134, 135: 136 },
};

export const getProtocolNumber = (name: string): number => getFlowProtocolNumber(name) ?? UNKNOWN_PROTOCOL;

/** Both ends in their order by address and port, which does not change when another end turns out to be the client. */
export function isClientLow({ client, server }: Pick<ForwardedConversation, 'client' | 'server'>): boolean {
  const [a, b] = [parseIp(client.ip), parseIp(server.ip)];
  const order = a && b ? compareIp(a, b) : 0;
  return order !== 0 ? order < 0 : (client.port ?? -1) <= (server.port ?? -1);
}

/** What was sent of several conversations that turned out to be one. */
export function addExported(parts: readonly ExportedCounts[]): ExportedCounts {
  const sum = (name: keyof ExportedCounts) => parts.reduce((total, one) => total + one[name], 0);
  return {
    low_bytes: sum('low_bytes'),
    low_packets: sum('low_packets'),
    high_bytes: sum('high_bytes'),
    high_packets: sum('high_packets'),
  };
}

/** The larger ones: what a receiver has added up cannot be taken back when a total becomes smaller. */
function raiseTo(before: ExportedCounts, now: ExportedCounts): ExportedCounts {
  const larger = (name: keyof ExportedCounts) => Math.max(before[name], now[name]);
  return {
    low_bytes: larger('low_bytes'),
    low_packets: larger('low_packets'),
    high_bytes: larger('high_bytes'),
    high_packets: larger('high_packets'),
  };
}

type Counters = { bytes: number; packets: number };

/**
 * What a conversation is for a receiver that adds up: a record for each direction with what is new since `before`, none when nothing is. The
 * first time there is one in any case: that it existed, also when nothing was counted.
 * @param before what was sent of it; null: nothing
 */
export function toIpfixRecords(
  conversation: ForwardedConversation,
  before: ExportedCounts | null,
): { records: IpfixRecord[]; exported: ExportedCounts } {
  const { client, server, icmp_type, icmp_code } = conversation;
  const { client_bytes, client_packets, server_bytes, server_packets } = conversation;
  const sent = before ?? NOTHING_EXPORTED;
  const clientSent = { bytes: client_bytes ?? 0, packets: client_packets ?? 0 };
  const serverSent = { bytes: server_bytes ?? 0, packets: server_packets ?? 0 };
  const [low, high] = isClientLow(conversation) ? [clientSent, serverSent] : [serverSent, clientSent];
  const exported = raiseTo(sent, {
    ...{ low_bytes: low.bytes, low_packets: low.packets },
    ...{ high_bytes: high.bytes, high_packets: high.packets },
  });
  const lowNew = { bytes: exported.low_bytes - sent.low_bytes, packets: exported.low_packets - sent.low_packets };
  const highNew = { bytes: exported.high_bytes - sent.high_bytes, packets: exported.high_packets - sent.high_packets };
  const [clientNew, serverNew] = isClientLow(conversation) ? [lowNew, highNew] : [highNew, lowNew];

  const protocol = getProtocolNumber(conversation.protocol);
  const isIcmp = protocol === ICMP || protocol === ICMPV6;
  const answer = icmp_type === null ? undefined : ANSWERS[protocol]?.[icmp_type];
  const makeRecord = (isFromClient: boolean, counters: Counters | null): IpfixRecord => {
    const [source, destination] = isFromClient ? [client, server] : [server, client];
    const type = isFromClient ? icmp_type : (answer ?? null);
    const code = isFromClient ? (icmp_code ?? 0) : 0;
    return {
      ...{ source_ip: source.ip, destination_ip: destination.ip, protocol, counters },
      ...{ source_port: source.port ?? 0, destination_port: destination.port ?? 0 },
      icmp: isIcmp && type !== null ? { type, code } : null,
      status: STATUSES[conversation.action] ?? 0,
      first: Date.parse(conversation.first_seen_at),
      last: Date.parse(conversation.last_seen_at),
    };
  };
  const hasNew = ({ bytes, packets }: Counters) => bytes > 0 || packets > 0;
  const records = [
    ...(hasNew(clientNew) ? [makeRecord(true, clientNew)] : []),
    ...(hasNew(serverNew) ? [makeRecord(false, serverNew)] : []),
  ];
  if (records.length > 0 || before !== null) return { records, exported };
  const isCounted = client_bytes !== null || client_packets !== null;
  return { records: [makeRecord(true, isCounted ? clientSent : null)], exported };
}
