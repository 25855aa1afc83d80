import type { Flow, HeartbeatEnvelope } from '@fabric/agent-contract';
import { storableText } from '../../audit/canonical';

/** Flows, and lines of each other list, that the stored copy of a heartbeat keeps. */
export const PAYLOAD_FLOWS = 50;
const PAYLOAD_INTERFACES = 200;

/** Plain JSON whose texts PostgreSQL can store; flows are the part of a heartbeat that nobody has looked at so far. */
const storable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, item: unknown) => (typeof item === 'string' ? storableText(item) : item));

/**
 * The copy of a heartbeat that is kept: plain JSON, lists cut, with `flow_count` (all that were sent) and `flows_truncated`.
 * @param sample the first good flows
 */
export function compactPayload(heartbeat: HeartbeatEnvelope, sample: readonly Flow[]): Record<string, unknown> {
  const { flows, interfaces, interface_traffic, ...rest } = heartbeat;
  return {
    ...rest,
    interfaces: interfaces.slice(0, PAYLOAD_INTERFACES),
    interface_count: interfaces.length,
    interface_traffic: interface_traffic.slice(0, PAYLOAD_INTERFACES),
    interface_traffic_count: interface_traffic.length,
    flows: sample.slice(0, PAYLOAD_FLOWS).map(({ raw: _, ...flow }) => storable(flow)),
    flow_count: flows.length,
    flows_truncated: flows.length > PAYLOAD_FLOWS,
  };
}
