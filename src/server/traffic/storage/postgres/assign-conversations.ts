import { sql } from 'drizzle-orm';
import type { SeenReport } from '@/domain/flow/assign-conversation';
import type { Executor } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { trafficConversations } from '../../../db/schema/flows';
import { stableKey } from '../../../lib/ids';
import {
  type Assignment,
  assignReports,
  type Candidate,
  type Ends,
  identifyEnds,
  makeConversationId,
  type SeenFlow,
} from '../assign-reports';
import type { ConversationIdentity } from './store-conversations';

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

/** Two nodes that report the same one at the same moment make the same id. */
function beginConversation(ends: Ends, ordinal: number, report: SeenReport): Candidate {
  const { low, high, observer, first_seen, last_seen } = report;
  const isKnown = low !== null || high !== null;
  return {
    ...{
      id: makeConversationId(ends, [ends.key, ordinal, low, high, isKnown ? null : observer], first_seen),
      revision: 0,
    },
    ...{ conversation_key: ends.key, ordinal, low, high, observer, nodes: [report.node_id] },
    ...{ first_seen, last_seen, is_closed: false, is_final: false },
  };
}

/** The key under which a flow is stored, from that of its addresses, ports, protocol and decision. */
export const toFlowKey = (flow_key: string, { id, ordinal }: Pick<Candidate, 'id' | 'ordinal'>) =>
  ordinal === 0 ? flow_key : stableKey([flow_key, id]);

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
  const assigned = assignReports(flows, ends, byKey, beginConversation);
  const assignments = assigned.map(({ chosen, previous }, i): Assignment => {
    const { id, conversation_key, ordinal, revision } = chosen;
    touched.set(id, { id, conversation_key, ordinal, revision });
    const flow_key = flows[i]?.flow_key ?? '';
    return {
      conversation_id: id,
      flow_key: toFlowKey(flow_key, chosen),
      previous_key: previous && toFlowKey(flow_key, previous),
    };
  });
  return { assignments, touched: [...touched.values()] };
}
