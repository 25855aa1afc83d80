import type { Flow } from '@fabric/agent-contract';
import type { RankedConnection } from '../conntrack/collector';
import type { ConntrackEntry, Counter } from '../conntrack/entry';
import { protocolName } from '../net/protocols';
import { type Candidate, counterFields, flowTime } from './candidate';

/**
 * The two directions of a tracked connection as flows between its real ends: the source before and the destination
 * after address translation, which is what a guest's interface shows. The translated addresses go into `raw`.
 * @returns nothing for idle connections and for the node's connections to itself
 */
export function conntrackFlows(connection: RankedConnection, now: number): Candidate[] {
  const { entry, newOriginal, newReply, isNew } = connection;
  const { original, reply } = entry;
  if (isLoopback(original.source)) return [];
  const ends = {
    source_ip: original.source,
    destination_ip: reply.source,
    source_port: original.sourcePort,
    destination_port: reply.sourcePort,
  };
  const forward = candidate(entry, ends, 'source', entry.originalCounter, newOriginal, isNew, now);
  const wasAnswered = entry.replyCounter ? entry.replyCounter.packets > 0 : entry.state !== 'UNREPLIED';
  if (!wasAnswered) return [forward];
  const swapped = {
    source_ip: ends.destination_ip,
    destination_ip: ends.source_ip,
    source_port: ends.destination_port,
    destination_port: ends.source_port,
  };
  return [forward, candidate(entry, swapped, 'destination', entry.replyCounter, newReply, isNew, now)];
}

function candidate(
  entry: ConntrackEntry,
  ends: Pick<Flow, 'source_ip' | 'destination_ip' | 'source_port' | 'destination_port'>,
  initiator: 'source' | 'destination',
  total: Counter | null,
  added: Counter | null,
  isNew: boolean,
  now: number,
): Candidate {
  const raw = evidence(entry);
  return {
    flow: {
      ...ends,
      protocol: protocolName(entry.protocol),
      decision: 'observed',
      state: entry.state,
      ...counterFields(total, added),
      observed_at: flowTime(now),
      collector: 'conntrack',
      initiator,
      ...(entry.icmp && initiator === 'source' && { icmp_type: entry.icmp.type, icmp_code: entry.icmp.code }),
      ...(Object.keys(raw).length > 0 && { raw }),
    },
    newBytes: added?.bytes ?? 0,
    newPackets: added?.packets ?? 0,
    isNew,
  };
}

function evidence({ original, reply, zone }: ConntrackEntry): NonNullable<Flow['raw']> {
  const movedSource = reply.destination !== original.source || reply.destinationPort !== original.sourcePort;
  const movedDestination = reply.source !== original.destination || reply.sourcePort !== original.destinationPort;
  return {
    ...(movedSource && { translated_source: endpoint(reply.destination, reply.destinationPort) }),
    ...(movedDestination && { translated_destination: endpoint(original.destination, original.destinationPort) }),
    ...(zone > 0 && { zone }),
  };
}

function endpoint(address: string, port: number | null): string {
  if (port === null) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
