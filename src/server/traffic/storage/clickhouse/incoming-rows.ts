import type { ServicePort } from '@/domain/flow/service-port';
import { getBegunHour } from '../assign-reports';
import type { FlowNode, ValidFlow } from '../flow-rows';
import { type Column, encodeBlock, native } from './native-block';
import { NONE } from './statement';

/** What a report adds to a flow and to totals. */
export type IncomingRow = {
  readonly flow: ValidFlow;
  /** Its ends as they are stored; null: unknown. */
  readonly source_workload_id: string | null;
  readonly destination_workload_id: string | null;
  readonly conversation_id: string;
  readonly forward: boolean;
  readonly is_new: boolean;
  readonly first_ms: number;
  readonly observed_ms: number;
  readonly service: ServicePort;
};

/** ICMP messages that open a conversation. Errors and answers between the same ends are part of it and do not rename it. */
const OPENING_ICMP = new Set<number | null>([8, 13, 15, 17, 128, 139]);
const ICMP_TYPE = 256;

const toOpeningIcmp = ({ flow: { record } }: IncomingRow): number | null =>
  record.icmp_type !== null && OPENING_ICMP.has(record.icmp_type)
    ? record.icmp_type * ICMP_TYPE + (record.icmp_code ?? 0)
    : null;

const MAX = Number.MAX_SAFE_INTEGER;
const capped = (of: number | null) => (of === null ? null : Math.min(of, MAX));

function listColumns({ node_id, cluster_id }: FlowNode, now: number, changed: number): Column<IncomingRow>[] {
  return [
    native.second('began_at', (row) => getBegunHour(row.conversation_id) / 1000),
    native.ownId('conversation_id', (row) => row.conversation_id),
    native.flag('forward', (row) => row.forward),
    native.text('decision', (row) => row.flow.record.decision),
    native.same(native.id('node_id', () => node_id)),
    native.same(native.id('cluster_id', () => cluster_id)),
    native.text('protocol', (row) => row.flow.record.protocol),
    native.address('source_ip', (row) => row.flow.record.source_ip),
    native.address('destination_ip', (row) => row.flow.record.destination_ip),
    native.small('source_port', (row) => row.flow.record.source_port),
    native.small('destination_port', (row) => row.flow.record.destination_port),
    native.counter('bytes', (row) => capped(row.flow.record.bytes)),
    native.counter('packets', (row) => capped(row.flow.record.packets)),
    native.time('first_seen_at', (row) => row.first_ms),
    native.time('observed_at', (row) => row.observed_ms),
    native.same(native.time('created_at', () => now)),
    native.same(native.time('updated_at', () => now)),
    native.same(native.time('changed_at', () => changed)),
    native.id('source_workload_id', (row) => row.source_workload_id ?? NONE),
    native.id('destination_workload_id', (row) => row.destination_workload_id ?? NONE),
    native.text('source_cidr', (row) => row.flow.record.source_cidr ?? ''),
    native.text('destination_cidr', (row) => row.flow.record.destination_cidr ?? ''),
    native.small('opening_icmp', toOpeningIcmp),
    native.tuple('newest', [
      native.time('seen_at', (row) => row.observed_ms),
      native.optionalText('interface', (row) => row.flow.record.interface),
      native.number('vmid', (row) => row.flow.record.vmid),
      native.small('nic', (row) => row.flow.record.nic),
      native.small('vlan', (row) => row.flow.record.vlan),
      native.id('workload_id', (row) => row.flow.record.workload_id ?? NONE),
      native.optionalText('state', (row) => row.flow.record.state),
      native.text('collector', (row) => row.flow.record.collector),
      native.optionalText('initiator', (row) => row.flow.record.initiator),
      native.small('icmp_type', (row) => row.flow.record.icmp_type),
      native.small('icmp_code', (row) => row.flow.record.icmp_code),
      native.optionalText('raw', (row) => row.flow.record.raw),
    ]),
    native.same(native.flag('is_final', () => false)),
    native.text('source_prefix', (row) => row.flow.source_prefix),
    native.text('destination_prefix', (row) => row.flow.destination_prefix),
    native.small('service_port', (row) => row.service.service_port),
    native.flag('reply', (row) => row.service.reply),
    native.flag('is_new', (row) => row.is_new),
    native.flag('is_resolvable', (row) => row.flow.is_resolvable),
  ];
}

const NO_NODE: FlowNode = { node_id: NONE, cluster_id: NONE };

/** The columns of `incoming_flows`, in the order in which they are sent. */
export const INCOMING_COLUMNS = listColumns(NO_NODE, 0, 0)
  .map(({ name }) => name)
  .join(', ');

/** What a node's heartbeat adds, as ClickHouse takes it. */
export const encodeRows = (
  node: FlowNode,
  rows: readonly IncomingRow[],
  { now, changed_ms }: { now: string; changed_ms: number },
): Buffer => encodeBlock(listColumns(node, Date.parse(now), changed_ms), rows);
