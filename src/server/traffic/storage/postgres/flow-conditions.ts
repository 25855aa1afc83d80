import { type SQL, sql } from 'drizzle-orm';
import { type EndFilter, parseEndFilter } from '@/domain/flow/flow-end';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { PortRange } from '@/domain/net/port-range';
import { likePattern } from '../../../db/declared-fields';
import { clusters, nodes } from '../../../db/schema/clusters';
import { type FlowSelection, type TextSelection, toConversationSelection } from '../flow-selection';
import { commonConditions, joinOr, portIn, workloadIs } from './condition-parts';
import { conversationConditions } from './conversation-conditions';
import { conversationsAsFlows } from './conversations-as-flows';
import { flowsCountedOnce } from './counted-once';
import { SERVICE_PORT } from './flow-direction';
import { conversationRows, flowRows, inIdList } from './visible-rows';

/** The flow's or the sum's columns, under the alias `t`. */
const T = {
  source_workload_id: sql.raw('t.source_workload_id'),
  destination_workload_id: sql.raw('t.destination_workload_id'),
  workload_id: sql.raw('t.workload_id'),
};

/** Guests that a flow is shown to: those at its ends, or when neither is known the one whose interface saw it. */
function seenBy(condition: (column: SQL) => SQL): SQL {
  return sql`(${condition(T.source_workload_id)} or ${condition(T.destination_workload_id)} or
    (${condition(T.workload_id)} and t.source_workload_id is null and t.destination_workload_id is null))`;
}

function endCondition(end: 'source' | 'destination', filter: EndFilter): SQL {
  const cidr = sql.raw(`t.${end}_cidr`);
  if (filter.kind === 'network') return sql`${sql.raw(`t.${end}_ip`)} <<= ${filter.cidr}::cidr`;
  return filter.kind === 'internal' ? sql`${cidr} is not null` : sql`${cidr} is null`;
}

/** The start of an address as the database writes it. */
const ADDRESS_PART = /^[0-9a-f.:]{2,39}$/i;

function searchCondition(text: string, { named, visible }: FlowSelection): SQL {
  const word = text.toLowerCase();
  const parts = [
    named.length > 0 ? seenBy((column) => inIdList(column, named)) : null,
    sql`t.protocol = ${word}`,
    sql`t.state ilike ${text.replace(/[\\%_]/g, '\\$&')}`,
    /^\d{1,5}$/.test(text) ? sql`t.source_port = ${Number(text)} or t.destination_port = ${Number(text)}` : null,
    sql`t.node_id in (select n.id from ${nodes} n where n.name ilike ${likePattern(text)})`,
    sql`t.cluster_id in (select c.id from ${clusters} c where c.name ilike ${likePattern(text)})`,
    // The name of an interface tells the guest's number.
    sql`(t.interface ilike ${likePattern(text)}${visible === 'all' ? sql`` : sql` and ${inIdList(T.workload_id, visible)}`})`,
    ADDRESS_PART.test(text)
      ? sql`host(t.source_ip) like ${`${word}%`} or host(t.destination_ip) like ${`${word}%`}`
      : null,
  ];
  return sql`(${sql.join(
    parts.filter((part) => part !== null),
    sql` or `,
  )})`;
}

/** Flows of these ports: up to the ephemeral ones that of the service, from there on the ports of both ends. */
function portConditions({ first, last }: PortRange): SQL[] {
  const service = { first, last: Math.min(last, EPHEMERAL_FROM - 1) };
  const ephemeral = { first: Math.max(first, EPHEMERAL_FROM), last };
  return [
    ...(service.first <= service.last ? [portIn(SERVICE_PORT, service)] : []),
    ...(ephemeral.first <= ephemeral.last
      ? [portIn(sql.raw('t.source_port'), ephemeral), portIn(sql.raw('t.destination_port'), ephemeral)]
      : []),
  ];
}

/** Whether the conversation of a flow is one that a filter as text means. What else narrows flows down is asked of the flow itself. */
const isInConversation = (selection: FlowSelection, text: TextSelection): SQL => sql`t.conversation_id in (
  select t.id from ${conversationRows(selection.periods)} as t
  where ${conversationConditions({ ...selection, ...text, filter: {}, actions: undefined })})`;

/** The WHERE of flows, of the table under the alias `t`. An expired flow never matches. */
export function flowConditions(selection: FlowSelection): SQL {
  const { visible, cutoff, since, until, filter } = selection;
  const conditions = [
    sql`t.observed_at >= ${cutoff}::timestamptz and t.observed_at >= ${since}::timestamptz`,
    until === null ? null : sql`t.first_seen_at < ${until}::timestamptz`,
    visible === 'all' ? null : seenBy((column) => inIdList(column, visible)),
    ...commonConditions(selection),
  ];
  if (filter.workload_id !== undefined) {
    const { workload_id } = filter;
    conditions.push(seenBy((column) => workloadIs(column, workload_id, visible)));
  }
  if (filter.conversation_id !== undefined) conditions.push(sql`t.conversation_id = ${filter.conversation_id}::uuid`);
  if (filter.port !== undefined) conditions.push(joinOr(filter.port.flatMap(portConditions)));
  const address = filter.address === undefined ? null : parseEndFilter(filter.address);
  if (address) {
    conditions.push(sql`(${endCondition('source', address)} or ${endCondition('destination', address)})`);
  }
  for (const end of ['source', 'destination'] as const) {
    const desired = filter[end] === undefined ? null : parseEndFilter(filter[end]);
    if (desired) conditions.push(endCondition(end, desired));
  }
  if (filter.q) conditions.push(searchCondition(filter.q, selection));
  if (selection.conversations) conditions.push(isInConversation(selection, selection.conversations));
  return sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  );
}

/** The rows that are grouped and summed up under the alias `t`: single flows or, for a filter as text, conversations. */
export function selectSingleRows(selection: FlowSelection, columns: SQL, isByNode = false): SQL {
  const conversations = toConversationSelection(selection);
  return conversations
    ? sql`select ${columns}, t.counted from (${conversationsAsFlows(conversations, isByNode)}) as t`
    : sql`select ${columns} from ${flowRows(selection.periods)} as t where ${flowConditions(selection)}`;
}

const COUNTED = sql.raw(`t.node_id, t.flow_key, t.cluster_id, t.source_ip, t.destination_ip, t.source_workload_id,
  t.destination_workload_id, t.source_cidr, t.destination_cidr, t.protocol, t.source_port, t.destination_port, t.initiator,
  t.decision, t.bytes, t.packets, t.first_seen_at, t.observed_at`);

/**
 * The single flows that are meant, with `counted`: whether a row is the report that counts. See `flowsCountedOnce`. A conversation counts
 * as one flow; each of its nodes has a row if they are grouped by node.
 */
export function countedFlows(selection: FlowSelection, isByNode = false): SQL {
  const rows = selectSingleRows(selection, COUNTED, isByNode);
  return toConversationSelection(selection) ? rows : flowsCountedOnce(rows);
}
