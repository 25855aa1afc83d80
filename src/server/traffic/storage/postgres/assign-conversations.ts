import { sql } from 'drizzle-orm';
import { HOUR_MS } from '@/domain/durations';
import { type ConversationCandidate, findContinued, type SeenReport } from '@/domain/flow/assign-conversation';
import type { FlowRecord } from '@/domain/flow/flow-record';
import type { Executor } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { trafficConversations } from '../../../db/schema/flows';
import { stableKey } from '../../../lib/ids';
import type { FlowNode } from '../flow-rows';
import type { ConversationIdentity } from './store-conversations';

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

type End = { ip: string; port: number | null };
type Ends = { key: string; low: End; is_forward: boolean };

/** Both directions, and all nodes of the cluster, get the same key. */
function identifyEnds(flow: SeenFlow): Ends {
  const source = { ip: flow.source_ip, port: flow.source_port };
  const destination = { ip: flow.destination_ip, port: flow.destination_port };
  const is_forward =
    source.ip < destination.ip || (source.ip === destination.ip && (source.port ?? -1) <= (destination.port ?? -1));
  const [low, high] = is_forward ? [source, destination] : [destination, source];
  return { key: stableKey([flow.cluster_id, low.ip, low.port, high.ip, high.port, flow.protocol]), low, is_forward };
}

type Candidate = ConversationCandidate & Pick<ConversationIdentity, 'conversation_key' | 'revision'>;

/** The stored conversations of some keys. Each key is looked up by itself, as in `findReportedFlows`. */
async function findCandidates(executor: Executor, ends: ReadonlyMap<string, Ends>): Promise<Map<string, Candidate[]>> {
  const found = new Map<string, Candidate[]>([...ends.keys()].map((key) => [key, []]));
  if (ends.size === 0) return found;
  const all = [...ends.values()];
  const rows = await executor.execute<Candidate>(sql`
    select c.id, c.conversation_key, c.ordinal, c.revision, c.is_closed, c.is_final, c.workload_id as observer, to_json(c.node_ids) as nodes,
      case when is_low_client then c.client_workload_id else c.server_workload_id end as low,
      case when is_low_client then c.server_workload_id else c.client_workload_id end as high,
      (date_part('epoch', c.first_seen_at) * 1000)::float8 as first_seen, (date_part('epoch', c.last_seen_at) * 1000)::float8 as last_seen
    from (select unnest(${pgArray(
      'uuid',
      all.map(({ key }) => key),
    )}) as key, unnest(${pgArray(
      'inet',
      all.map(({ low }) => low.ip),
    )}) as low_ip, unnest(${pgArray(
      'int',
      all.map(({ low }) => low.port),
    )}) as low_port offset 0) as k
    cross join lateral (
      select c.*, c.client_ip = k.low_ip and c.client_port is not distinct from k.low_port as is_low_client
      from ${trafficConversations} as c where c.conversation_key = k.key offset 0) as c`);
  for (const row of rows) found.get(row.conversation_key)?.push(row);
  return found;
}

/** Two nodes that report the same one at the same moment make the same id. Those of one hour are stored side by side. */
function makeConversationId(key: string, ordinal: number, { low, high, observer, first_seen }: SeenReport): string {
  const isKnown = low !== null || high !== null;
  const hash = stableKey([key, ordinal, low, high, isKnown ? null : observer]);
  const hour = (Math.floor(first_seen / HOUR_MS) * HOUR_MS).toString(16).padStart(12, '0');
  return `${hour.slice(0, 8)}-${hour.slice(8)}-8${hash.slice(15, 18)}-a${hash.slice(20)}`;
}

const toReport = (flow: SeenFlow, isForward: boolean): SeenReport => ({
  low: isForward ? flow.source_workload_id : flow.destination_workload_id,
  high: isForward ? flow.destination_workload_id : flow.source_workload_id,
  observer: flow.workload_id,
  node_id: flow.node_id,
  first_seen: Date.parse(flow.first_seen_at),
  last_seen: Date.parse(flow.observed_at),
  has_begin: flow.has_begin,
});

const toFlowKey = (flow_key: string, { id, ordinal }: Pick<Candidate, 'id' | 'ordinal'>) =>
  ordinal === 0 ? flow_key : stableKey([flow_key, id]);

function addCandidate(candidates: Candidate[], key: string, report: SeenReport): Candidate {
  const ordinal = candidates.reduce((next, candidate) => Math.max(next, candidate.ordinal + 1), 0);
  const made: Candidate = {
    ...{ id: makeConversationId(key, ordinal, report), conversation_key: key, ordinal, revision: 0 },
    ...{ low: report.low, high: report.high, observer: report.observer, nodes: [report.node_id] },
    ...{ first_seen: report.first_seen, last_seen: report.last_seen, is_closed: false, is_final: false },
  };
  candidates.push(made);
  return made;
}

/**
 * Finds the conversation of each flow, and begins those that are new. One query; nothing is written.
 * @returns for each flow its conversation, and all conversations that they belong to, to be stored after the flows
 */
export async function assignConversations(
  executor: Executor,
  flows: readonly SeenFlow[],
): Promise<{ assignments: Assignment[]; touched: ConversationIdentity[] }> {
  const ends = flows.map(identifyEnds);
  const byKey = await findCandidates(executor, new Map(ends.map((end) => [end.key, end])));
  const touched = new Map<string, ConversationIdentity>();
  const assignments = flows.map((flow, i): Assignment => {
    const { key, is_forward } = ends[i] as Ends;
    const candidates = byKey.get(key) as Candidate[];
    const report = toReport(flow, is_forward);
    const earlier = candidates.filter(({ last_seen }) => last_seen < report.first_seen);
    const chosen = (findContinued(candidates, report) as Candidate | null) ?? addCandidate(candidates, key, report);
    const previous = earlier.reduce<Candidate | null>(
      (last, one) => (one !== chosen && (last === null || one.last_seen > last.last_seen) ? one : last),
      null,
    );
    chosen.first_seen = Math.min(chosen.first_seen, report.first_seen);
    chosen.last_seen = Math.max(chosen.last_seen, report.last_seen);
    const { id, ordinal, revision } = chosen;
    touched.set(id, { id, conversation_key: key, ordinal, revision });
    return {
      conversation_id: chosen.id,
      flow_key: toFlowKey(flow.flow_key, chosen),
      previous_key: previous && toFlowKey(flow.flow_key, previous),
    };
  });
  return { assignments, touched: [...touched.values()] };
}
