import { HOUR_MS } from '@/domain/durations';
import { type ConversationCandidate, findContinued, type SeenReport } from '@/domain/flow/assign-conversation';
import type { FlowRecord } from '@/domain/flow/flow-record';
import { stableKey } from '../../lib/ids';
import type { FlowNode, ValidFlow } from './flow-rows';

/** What of a flow says to which conversation it belongs. */
export type SeenFlow = Pick<
  FlowRecord,
  | 'flow_key'
  | 'source_ip'
  | 'destination_ip'
  | 'protocol'
  | 'source_port'
  | 'destination_port'
  | 'workload_id'
  | 'source_workload_id'
  | 'destination_workload_id'
  | 'first_seen_at'
  | 'observed_at'
> &
  FlowNode & { has_begin: boolean };

export type Assignment = {
  conversation_id: string;
  /** The key under which its flow is stored: only the first conversation of some ends has theirs. */
  flow_key: string;
  /** The key of its flow in the conversation before, which may have the agent's totals. */
  previous_key: string | null;
};

/** The same of a flow as it is to be stored. Named one by one: copying all of a record takes longer than what is done with it. */
export const toSeenFlow = ({ record, has_begin }: ValidFlow, { node_id, cluster_id }: FlowNode): SeenFlow => ({
  flow_key: record.flow_key,
  source_ip: record.source_ip,
  destination_ip: record.destination_ip,
  protocol: record.protocol,
  source_port: record.source_port,
  destination_port: record.destination_port,
  workload_id: record.workload_id,
  source_workload_id: record.source_workload_id,
  destination_workload_id: record.destination_workload_id,
  first_seen_at: record.first_seen_at,
  observed_at: record.observed_at,
  node_id,
  cluster_id,
  has_begin,
});

type End = { ip: string; port: number | null };
export type Ends = { key: string; low: End; high: End; is_forward: boolean };

/** Both directions, and all nodes of the cluster, get the same key. */
export function identifyEnds(flow: SeenFlow): Ends {
  const source = { ip: flow.source_ip, port: flow.source_port };
  const destination = { ip: flow.destination_ip, port: flow.destination_port };
  const is_forward =
    source.ip < destination.ip || (source.ip === destination.ip && (source.port ?? -1) <= (destination.port ?? -1));
  const [low, high] = is_forward ? [source, destination] : [destination, source];
  return {
    key: stableKey([flow.cluster_id, low.ip, low.port, high.ip, high.port, flow.protocol]),
    low,
    high,
    is_forward,
  };
}

/** A conversation of some ends; `revision` counts how often it was written, 0: it is new. */
export type Candidate = ConversationCandidate & { conversation_key: string; revision: number };

/** Which of 256 places an address has, as two hexadecimal digits (FNV-1a). */
function findPlace(address: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < address.length; i++) hash = Math.imul(hash ^ address.charCodeAt(i), 0x01000193);
  return ((hash ^ (hash >>> 16)) & 0xff).toString(16).padStart(2, '0');
}

/**
 * An id that follows from both ends and some texts and numbers. Those of one hour are stored side by side, and of these the ones with the same
 * ends: ClickHouse compares the second half of UUIDs first.
 */
export function makeConversationId(
  { low, high }: Pick<Ends, 'low' | 'high'>,
  parts: readonly (string | number | null)[],
  first_seen: number,
): string {
  const hash = stableKey(parts);
  const hour = (Math.floor(first_seen / HOUR_MS) * HOUR_MS).toString(16).padStart(12, '0');
  const place = findPlace(low.ip) + findPlace(high.ip);
  return `${hour.slice(0, 8)}-${hour.slice(8)}-8${hash.slice(15, 18)}-a${place.slice(0, 3)}-${place.slice(3)}${hash.slice(25)}`;
}

/** The hour in which a conversation began, in milliseconds since 1970, by its id. */
export const getBegunHour = (conversationId: string): number =>
  Number.parseInt(conversationId.slice(0, 8) + conversationId.slice(9, 13), 16);

const toReport = (flow: SeenFlow, isForward: boolean): SeenReport => ({
  low: isForward ? flow.source_workload_id : flow.destination_workload_id,
  high: isForward ? flow.destination_workload_id : flow.source_workload_id,
  observer: flow.workload_id,
  node_id: flow.node_id,
  first_seen: Date.parse(flow.first_seen_at),
  last_seen: Date.parse(flow.observed_at),
  has_begin: flow.has_begin,
});

export type AssignedReport<C extends Candidate> = {
  report: SeenReport;
  is_forward: boolean;
  chosen: C;
  /** The conversation of these ends before: the agent's counters may have begun in it. */
  previous: C | null;
};

/** Whether the node reported this before the inventory had the workload of the interface. What it knows since is another conversation. */
const isSameBeforeKnown = ({ nodes, observer }: Candidate, report: SeenReport): boolean =>
  observer === null && report.observer !== null && nodes.includes(report.node_id);

/**
 * Finds the conversation of each flow, and begins those that are new.
 * @param byKey the conversations of all keys, to which new ones are added
 * @param begin makes a new one, with nothing in it
 */
export function assignReports<C extends Candidate>(
  flows: readonly SeenFlow[],
  ends: readonly Ends[],
  byKey: ReadonlyMap<string, C[]>,
  begin: (ends: Ends, ordinal: number, report: SeenReport) => C,
): AssignedReport<C>[] {
  return flows.map((flow, i) => {
    const of = ends[i] as Ends;
    const { key, is_forward } = of;
    const candidates = byKey.get(key) as C[];
    const report = toReport(flow, is_forward);
    const earlier = candidates.filter((one) => one.last_seen < report.first_seen || isSameBeforeKnown(one, report));
    let chosen = findContinued(candidates, report) as C | null;
    if (!chosen) {
      chosen = begin(
        of,
        candidates.reduce((next, candidate) => Math.max(next, candidate.ordinal + 1), 0),
        report,
      );
      candidates.push(chosen);
    }
    const previous = earlier.reduce<C | null>(
      (last, one) => (one !== chosen && (last === null || one.last_seen > last.last_seen) ? one : last),
      null,
    );
    chosen.first_seen = Math.min(chosen.first_seen, report.first_seen);
    chosen.last_seen = Math.max(chosen.last_seen, report.last_seen);
    return { report, is_forward, chosen, previous };
  });
}
