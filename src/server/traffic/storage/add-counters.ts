import type { ValidFlow } from './flow-rows';

/** What the newest report of a stored flow said. */
export type ReportedFlow = { flow_key: string; bytes: number | null; packets: number | null; observed_at: string };

/** A counter in a report, and in the newest report before. */
type Counted = {
  total: number | null;
  /** The part of it that is new; null when the agent did not say. */
  delta: number | null;
  before: number | null;
};

/** Whether a report comes after the newest stored one, and whether its counters began after that. */
type Order = 'later' | 'late' | 'begun_since';

/**
 * What a report adds to a counter; null when it was not counted. An agent says what is new, or leaves that out because all
 * of it is. Without a word, a total that did not fall is taken for the one before that grew: what is counted may then be
 * too little, never twice.
 */
export function computeIncrease({ total, delta, before }: Counted, order: Order): number | null {
  if (delta !== null) return total === null ? delta : Math.min(delta, total);
  if (total === null) return null;
  if (before === null || order === 'begun_since') return total;
  if (order === 'late') return 0;
  return total >= before ? total - before : total;
}

function getReportOrder({ record, has_begin }: ValidFlow, stored: ReportedFlow): Order {
  if (record.observed_at >= stored.observed_at) {
    return has_begin && record.first_seen_at > stored.observed_at ? 'begun_since' : 'later';
  }
  // What an agent kept and sent later is new, as what it sent in time would have been.
  return has_begin ? 'begun_since' : 'late';
}

/** Flows whose addition can only be computed from their stored record. */
export const isUndecided = ({ record, delta_bytes, delta_packets }: ValidFlow): boolean =>
  (delta_bytes === null && record.reported_bytes !== null) ||
  (delta_packets === null && record.reported_packets !== null);

/** Writes into a flow's record what it adds to the stored totals. @param known its newest report before */
export function addCounter(flow: ValidFlow, known: ReportedFlow | undefined): void {
  const { record, delta_bytes, delta_packets } = flow;
  const order = known ? getReportOrder(flow, known) : 'begun_since';
  const { reported_bytes, reported_packets } = record;
  record.bytes = computeIncrease({ total: reported_bytes, delta: delta_bytes, before: known?.bytes ?? null }, order);
  record.packets = computeIncrease(
    { total: reported_packets, delta: delta_packets, before: known?.packets ?? null },
    order,
  );
}

/**
 * Writes into each flow's record what it adds to the stored totals. Reports that are repeated must be sorted out before; in
 * which order the others come does not matter.
 * @param stored newest reports of the known flows, at least of the undecided ones
 */
export function addCounters(flows: readonly ValidFlow[], stored: ReadonlyMap<string, ReportedFlow>): void {
  for (const flow of flows) addCounter(flow, stored.get(flow.record.flow_key));
}
