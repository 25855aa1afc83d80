import type { Flow } from '@fabric/agent-contract';
import { rfc3339 } from '../sys/clock';

/** A flow that may go into the heartbeat, with what decides whether it does. */
export type Candidate = {
  flow: Flow;
  /** Bytes and packets since the last heartbeat; 0 when unknown. */
  newBytes: number;
  newPackets: number;
  /** First seen since the last heartbeat. */
  isNew: boolean;
};

type Counters = { bytes: number; packets: number };

/** The counter fields of a flow. The part that is new is left out where it is all of it: most flows are short. */
export function counterFields(
  total: Counters | null,
  added: Counters | null,
): Partial<Flow> & Pick<Flow, 'bytes' | 'packets'> {
  if (!total) return { bytes: null, packets: null };
  if (!added || (added.bytes === total.bytes && added.packets === total.packets)) return total;
  return { ...total, delta_bytes: added.bytes, delta_packets: added.packets };
}

/** Timestamps in seconds: a finer resolution doubles the size of a compressed heartbeat and adds no information. */
export function flowTime(milliseconds: number): string {
  return `${rfc3339(milliseconds).slice(0, 19)}Z`;
}

/**
 * The flow as it is sent. It includes deltas wherever the same identity may be counted from zero again: for other ICMP
 * messages between two ends, and for tracked connections, whose start is unknown.
 */
export function reportedFlow({ flow, newBytes, newPackets }: Candidate): Flow {
  const isWhole = flow.delta_bytes === undefined && flow.bytes !== null;
  const isShared = flow.first_seen_at === undefined || flow.protocol === 'icmp' || flow.protocol === 'icmpv6';
  return isWhole && isShared ? { ...flow, delta_bytes: newBytes, delta_packets: newPackets } : flow;
}

/** ICMP messages that open a conversation: requests for echo, timestamp, information, address mask and node information. */
const OPENING_ICMP = new Set([8, 13, 15, 17, 128, 139]);

/** Whether an ICMP flow has the type of a request, and not of an answer or an error. */
export const isIcmpRequest = ({ icmp_type }: Pick<Flow, 'icmp_type'>): boolean =>
  icmp_type !== undefined && OPENING_ICMP.has(icmp_type);

/** The fields that make two flows the same (see the contract). ICMP messages between two ends are one flow, whatever their type. */
export function flowIdentity(flow: Flow): string {
  const { source_ip, destination_ip, protocol, source_port, destination_port, decision } = flow;
  return `${source_ip} ${destination_ip} ${protocol} ${source_port} ${destination_port} ${decision}`;
}

/** Whether the packets of a flow were refused. */
export function isDenied({ decision }: Pick<Flow, 'decision'>): boolean {
  return decision === 'drop' || decision === 'reject';
}
