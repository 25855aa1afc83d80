import type { ReportedState } from '../../../db/schema/flow-outbox';
import { stableKey } from '../../../lib/ids';
import { identifyEnds, type SeenFlow } from '../assign-reports';
import { toReportKey } from '../clickhouse/open-conversations';
import { NONE } from '../clickhouse/statement';
import { FLOW_COLUMNS } from '../postgres/append-flows';
import { toFlowKey } from '../postgres/assign-conversations';
import { ROLLUP_COLUMN_TYPES, rollupKey } from '../postgres/minutes';
import { PART_COLUMNS } from '../postgres/unresolved-minutes';
import type { StoredFlow, StoredPart, StoredTotal } from './clickhouse-history';

/** Of a conversation that can continue no more: its flows have keys that no report has, and the next one of its ends is the first. */
const PAST_ORDINAL = -1;

/** The state of a conversation that may continue. */
export type OpenState = {
  ordinal: number;
  is_final: boolean;
  reports: Readonly<Record<string, ReportedState>>;
};

/** Columns of a flow on its way, in the order in which they are sent. */
export const MOVED_FLOW_COLUMNS = {
  ...FLOW_COLUMNS,
  node_id: 'uuid',
  cluster_id: 'uuid',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  conversation_key: 'uuid',
  ordinal: 'int',
  is_final: 'boolean',
  changed_at: 'timestamptz',
} as const;
export const MOVED_TOTAL_COLUMNS = { ...ROLLUP_COLUMN_TYPES, node_id: 'uuid', cluster_id: 'uuid' } as const;
export const MOVED_PART_COLUMNS = { ...PART_COLUMNS, node_id: 'uuid' } as const;

type Row<C> = { [K in keyof C]: string | number | boolean | null };
export type MovedFlow = Row<typeof MOVED_FLOW_COLUMNS>;
export type MovedTotal = Row<typeof MOVED_TOTAL_COLUMNS>;
export type MovedPart = Row<typeof MOVED_PART_COLUMNS>;

const orNull = (of: string): string | null => (of === NONE || of === '' ? null : of);
const toIso = (ms: number): string => new Date(ms).toISOString();

type Named = Pick<
  StoredFlow,
  | ('source_address' | 'destination_address' | 'protocol' | 'source_port' | 'destination_port' | 'decision')
  | 'conversation_id'
>;

/**
 * The key that the next report of the same flow has, so that it adds to it. A flow that ended when its workload went to another tenant
 * has one that no report finds.
 */
function makeFlowKey(flow: Named, { ordinal, is_final }: { ordinal: number; is_final: boolean }): string {
  const own = stableKey([
    ...[flow.source_address, flow.destination_address, flow.protocol],
    ...[flow.source_port, flow.destination_port, flow.decision],
  ]);
  if (is_final) return stableKey([own, flow.conversation_id, 'ended']);
  return toFlowKey(own, { id: flow.conversation_id, ordinal });
}

/** A flow as PostgreSQL has it. @param open its conversation, when it may continue */
export function toMovedFlow(flow: StoredFlow, open: OpenState | undefined): MovedFlow {
  const { source_address: source_ip, destination_address: destination_ip } = flow;
  const state = open ?? { ordinal: PAST_ORDINAL, is_final: flow.is_final, reports: {} };
  const [, , reported_bytes = null, reported_packets = null] =
    state.reports[toReportKey(flow.node_id, flow.forward, flow.decision)] ?? [];
  return {
    flow_key: makeFlowKey(flow, state),
    ...{ source_ip, destination_ip, protocol: flow.protocol, decision: flow.decision, state: flow.state },
    ...{ source_port: flow.source_port, destination_port: flow.destination_port },
    ...{ bytes: flow.bytes, packets: flow.packets, reported_bytes, reported_packets },
    ...{ first_seen_at: toIso(flow.first_ms), observed_at: toIso(flow.observed_ms) },
    ...{ collector: flow.collector, initiator: flow.initiator, icmp_type: flow.icmp_type, icmp_code: flow.icmp_code },
    ...{ interface: flow.interface, vmid: flow.vmid, nic: flow.nic, vlan: flow.vlan },
    workload_id: orNull(flow.workload_id),
    source_workload_id: orNull(flow.source_workload_id),
    destination_workload_id: orNull(flow.destination_workload_id),
    ...{ source_cidr: orNull(flow.source_cidr), destination_cidr: orNull(flow.destination_cidr) },
    ...{ raw: flow.raw, conversation_id: flow.conversation_id, node_id: flow.node_id, cluster_id: flow.cluster_id },
    ...{ created_at: toIso(flow.created_ms), updated_at: toIso(flow.updated_ms), changed_at: toIso(flow.changed_ms) },
    conversation_key: identifyEnds({ ...flow, source_ip, destination_ip } as unknown as SeenFlow).key,
    ...{ ordinal: state.ordinal, is_final: state.is_final },
  };
}

/** A total as PostgreSQL has it. */
export function toMovedTotal({ bucket_s, row_key: _, ...row }: StoredTotal): MovedTotal {
  const identity = {
    ...{ source_prefix: row.source_prefix, destination_prefix: row.destination_prefix },
    ...{ source_internal: row.source_internal, destination_internal: row.destination_internal },
    ...{ protocol: row.protocol, service_port: row.service_port, reply: row.reply, decision: row.decision },
    source_workload_id: orNull(row.source_workload_id),
    destination_workload_id: orNull(row.destination_workload_id),
  };
  return {
    ...identity,
    ...{ bucket_at: toIso(bucket_s * 1000), rollup_key: rollupKey(identity) },
    ...{ node_id: row.node_id, cluster_id: row.cluster_id, bytes: row.bytes, packets: row.packets, flows: row.flows },
  };
}

/** What of a minute came from a flow, as PostgreSQL has it. @param open its conversation, when it has moved and may continue */
export function toMovedPart(
  part: StoredPart,
  flow: StoredFlow,
  open: Omit<OpenState, 'reports'> | undefined,
): MovedPart {
  const { node_id, bucket_at, rollup_key, bytes, packets, flows } = toMovedTotal(part);
  const flow_key = makeFlowKey(flow, open ?? { ordinal: PAST_ORDINAL, is_final: flow.is_final });
  return { node_id, bucket_at, rollup_key, flow_key, bytes, packets, flows };
}
