import { getServicePort } from '@/domain/flow/service-port';
import type { Tx } from '../../../db/client';
import type { ReportedState } from '../../../db/schema/flow-outbox';
import { addCounter } from '../add-counters';
import {
  type AssignedReport,
  assignReports,
  type Ends,
  getBegunHour,
  identifyEnds,
  type SeenFlow,
  toSeenFlow,
} from '../assign-reports';
import type { FlowNode, ValidFlow } from '../flow-rows';
import type { FlowStore } from '../flow-store';
import { encodeRows, type IncomingRow } from './incoming-rows';
import {
  beginConversation,
  endOpenConversations,
  findOpenConversations,
  isClosedState,
  type OpenConversation,
  readReportKey,
  storeOpenConversations,
  toReportedFlow,
  toReportKey,
} from './open-conversations';
import { addObjectsToOutbox, addToOutbox } from './outbox';
import { NONE } from './statement';

/** Two nodes can begin the same conversation at the same time; more often than a few times in a row they do not. */
const MOST_ROUNDS = 5;

type Assigned = AssignedReport<OpenConversation>;

/**
 * The end of a report as it is stored: one that is known never changes, and no workload is at both ends. The first report that knows it
 * says it to all later ones.
 */
function settleEnd(chosen: OpenConversation, end: 'low' | 'high', reported: string | null): string | null {
  // What one node does not know stays unknown in its flow, whatever others know.
  if (reported === null) return null;
  if (chosen[end] === null && reported !== chosen[end === 'low' ? 'high' : 'low']) chosen[end] = reported;
  return chosen[end];
}

const add = (known: number | null, more: number | null) => (more === null ? known : (known ?? 0) + more);

/** What the reports of a flow said by now: the newest one. A total that the agent did not send is what was added up. */
function foldState(known: ReportedState | undefined, { record }: ValidFlow, observed_ms: number): ReportedState {
  const [seen_ms = Number.NEGATIVE_INFINITY, was_closed = 0, bytes = null, packets = null] = known ?? [];
  if (observed_ms < seen_ms) return [seen_ms, was_closed, bytes, packets];
  return [
    observed_ms,
    isClosedState(record.state),
    record.reported_bytes ?? add(bytes, record.bytes),
    record.reported_packets ?? add(packets, record.packets),
  ];
}

/** What a heartbeat's flows add, and into their conversations what is known about them by now. */
function takeIn(node: FlowNode, flows: readonly ValidFlow[], assigned: readonly Assigned[]): (IncomingRow | null)[] {
  return flows.map((flow, i) => {
    const { report, is_forward, chosen, previous } = assigned[i] as Assigned;
    const { record } = flow;
    const key = toReportKey(node.node_id, is_forward, record.decision);
    const known = chosen.reports[key];
    const before = known ?? previous?.reports[key];
    const isContinued = before && !(previous?.is_final && !known);
    addCounter(flow, isContinued ? toReportedFlow(record.flow_key, before) : undefined);
    const [low, high] = [settleEnd(chosen, 'low', report.low), settleEnd(chosen, 'high', report.high)];
    chosen.observer ??= report.observer;
    const state = foldState(known, flow, report.last_seen);
    chosen.reports[key] = state;
    chosen.changes[key] = state;
    const isLate = known !== undefined && report.last_seen < known[0];
    if (isLate && !record.bytes && !record.packets) return null;
    const [source_workload_id, destination_workload_id] = is_forward ? [low, high] : [high, low];
    return {
      flow,
      source_workload_id,
      destination_workload_id,
      conversation_id: chosen.id,
      forward: is_forward,
      is_new: known === undefined,
      first_ms: report.first_seen,
      observed_ms: report.last_seen,
      service: getServicePort(record),
    };
  });
}

type Pending = { flow: ValidFlow; seen: SeenFlow; ends: Ends };

/** One round: what could be stored, and the flows of conversations that another node began in the meantime. */
async function storeRound(tx: Tx, node: FlowNode, pending: readonly Pending[]) {
  const ends = pending.map((one) => one.ends);
  const byKey = await findOpenConversations(tx, [...new Set(ends.map(({ key }) => key))]);
  const assigned = assignReports(
    pending.map(({ seen }) => seen),
    ends,
    byKey,
    beginConversation,
  );
  const taken = takeIn(
    node,
    pending.map(({ flow }) => flow),
    assigned,
  );
  const stored = await storeOpenConversations(tx, [...new Set(assigned.map(({ chosen }) => chosen))]);
  const isStored = (i: number) => stored.ids.has(assigned[i]?.chosen.id ?? '');
  return {
    rows: taken.filter((row, i): row is IncomingRow => row !== null && isStored(i)),
    changed_ms: stored.changed_ms,
    left: pending.filter((_, i) => !isStored(i)),
  };
}

/** Conversations as they are known by now, and what is new into the outbox. */
export const append: FlowStore['append'] = async (tx, node, flows, now) => {
  let pending = flows.map((flow): Pending => {
    const seen = toSeenFlow(flow, node);
    return { flow, seen, ends: identifyEnds(seen) };
  });
  const rows: IncomingRow[] = [];
  let changed_ms = 0;
  for (let round = 0; pending.length > 0; round++) {
    if (round === MOST_ROUNDS) throw new Error('expected conversations to be stored');
    const done = await storeRound(tx, node, pending);
    rows.push(...done.rows);
    pending = done.left;
    changed_ms = done.changed_ms;
  }
  if (rows.length > 0) {
    const observed = rows.map(({ flow }) => flow.record.observed_at);
    await addToOutbox(tx, node, {
      rows: encodeRows(node, rows, { now, changed_ms }),
      row_count: rows.length,
      observed,
    });
  }
  return rows.reduce((sum, { is_new }) => sum + (is_new ? 1 : 0), 0);
};

/** What a flow is of, as rows of ClickHouse name it. */
export const toFlowKey = (conversationId: string, reportKey: string) => ({
  began_at: getBegunHour(conversationId) / 1000,
  conversation_id: conversationId,
  ...readReportKey(reportKey),
});

/** Ends the conversations of workloads that go to another tenant: what is reported from now on begins another one. */
export const endFlows: FlowStore['endFlows'] = async (tx, workloadIds) => {
  if (workloadIds.length === 0) return;
  const ended = await endOpenConversations(tx, workloadIds);
  const rows = ended.flatMap(({ id, report_keys }) =>
    report_keys.map((key) => ({ ...toFlowKey(id, key), is_final: true })),
  );
  const [first] = rows;
  if (first) await addObjectsToOutbox(tx, { node_id: first.node_id, cluster_id: NONE }, 'incoming_ends', rows);
};
