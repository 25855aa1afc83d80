import { parseEndFilter } from '@/domain/flow/flow-end';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { PortRange } from '@/domain/net/port-range';
import { likePattern } from '../../../db/declared-fields';
import { type FlowSelection, type TextSelection, toConversationSelection } from '../flow-selection';
import { addressText, commonConditions, endMatches, isNone, portIn, workloadIs } from './conditions';
import { conversationConditions } from './conversation-conditions';
import { conversationRows } from './conversation-rows';
import { conversationsAsFlows } from './conversations-as-flows';
import { flowsCountedOnce } from './counted-once';
import { SERVICE_PORT } from './flow-direction';
import type { ResolvedPlaces } from './names';
import { all, any, ch, inIds, number, type Part, raw, text, time, uuid } from './statement';
import { flowRows, toRange } from './visible-rows';

const [SOURCE, DESTINATION, OBSERVER] = ['source_workload_id', 'destination_workload_id', 'workload_id'].map((name) =>
  raw(`t.${name}`),
) as [Part, Part, Part];

/** Guests that a flow is shown to: those at its ends, or when neither is known the one whose interface saw it. */
const seenBy = (condition: (column: Part) => Part): Part =>
  ch`(${condition(SOURCE)} or ${condition(DESTINATION)} or
    (${condition(OBSERVER)} and ${isNone(SOURCE)} and ${isNone(DESTINATION)}))`;

const end = (which: 'source' | 'destination') => ({ ip: raw(`t.${which}_ip`), cidr: raw(`t.${which}_cidr`) });

/** The start of an address as it is written. */
const ADDRESS_PART = /^[0-9a-f.:]{2,39}$/i;

function searchCondition(search: string, { named, visible }: FlowSelection, { searched }: ResolvedPlaces): Part {
  const word = search.toLowerCase();
  const pattern = text(likePattern(search));
  return any([
    ...(named.length > 0 ? [seenBy((column) => inIds(column, named))] : []),
    ch`t.protocol = ${text(word)}`,
    ch`ifNull(t.state ilike ${text(search.replace(/[\\%_]/g, '\\$&'))}, false)`,
    ...(/^\d{1,5}$/.test(search)
      ? ['source', 'destination'].map((which) => ch`ifNull(t.${raw(which)}_port = ${number(Number(search))}, false)`)
      : []),
    inIds(raw('t.node_id'), searched.nodes),
    inIds(raw('t.cluster_id'), searched.clusters),
    // The name of an interface has the guest's number.
    all([ch`ifNull(t.interface ilike ${pattern}, false)`, ...(visible === 'all' ? [] : [inIds(OBSERVER, visible)])]),
    ...(ADDRESS_PART.test(search)
      ? ['source', 'destination'].map((which) => ch`startsWith(${addressText(raw(`t.${which}_ip`))}, ${text(word)})`)
      : []),
  ]);
}

/** Flows of these ports: up to the ephemeral ones that of the service, from there on the ports of both ends. */
function portConditions({ first, last }: PortRange): Part[] {
  const service = { first, last: Math.min(last, EPHEMERAL_FROM - 1) };
  const ephemeral = { first: Math.max(first, EPHEMERAL_FROM), last };
  return [
    ...(service.first <= service.last ? [portIn(SERVICE_PORT, service)] : []),
    ...(ephemeral.first <= ephemeral.last
      ? [portIn(raw('t.source_port'), ephemeral), portIn(raw('t.destination_port'), ephemeral)]
      : []),
  ];
}

/** Whether the conversation of a flow is one that a filter as text means. What else narrows flows down is asked of the flow itself. */
function isInConversation(selection: FlowSelection, words: TextSelection, places: ResolvedPlaces): Part {
  const asked = { ...selection, ...words, filter: {}, actions: undefined };
  return ch`t.conversation_id in (select t.id from ${conversationRows(toRange(asked), selection.periods)} as t
    where ${conversationConditions(asked, places)})`;
}

/** The WHERE of flows, of the table under the alias `t`. */
export function flowConditions(selection: FlowSelection, places: ResolvedPlaces): Part {
  const { visible, until, filter } = selection;
  const conditions = [
    ch`t.observed_at >= ${time(toRange(selection).since)}`,
    ...(until === null ? [] : [ch`t.first_seen_at < ${time(until)}`]),
    ...(visible === 'all' ? [] : [seenBy((column) => inIds(column, visible))]),
    ...commonConditions(selection),
  ];
  if (filter.workload_id !== undefined) {
    const { workload_id } = filter;
    conditions.push(seenBy((column) => workloadIs(column, workload_id, visible)));
  }
  if (filter.conversation_id !== undefined) conditions.push(ch`t.conversation_id = ${uuid(filter.conversation_id)}`);
  if (filter.port !== undefined) conditions.push(any(filter.port.flatMap(portConditions)));
  const address = filter.address === undefined ? null : parseEndFilter(filter.address);
  if (address) conditions.push(any([endMatches(end('source'), address), endMatches(end('destination'), address)]));
  for (const which of ['source', 'destination'] as const) {
    const desired = filter[which] === undefined ? null : parseEndFilter(filter[which]);
    if (desired) conditions.push(endMatches(end(which), desired));
  }
  if (filter.q) conditions.push(searchCondition(filter.q, selection, places));
  if (selection.conversations) conditions.push(isInConversation(selection, selection.conversations, places));
  return all(conditions);
}

/** The rows that are grouped and summed up under the alias `t`: single flows or, for a filter as text, conversations. */
export function selectSingleRows(
  selection: FlowSelection,
  places: ResolvedPlaces,
  columns: Part,
  isByNode = false,
): Part {
  const conversations = toConversationSelection(selection);
  return conversations
    ? ch`select ${columns}, t.counted as counted from ${conversationsAsFlows(conversations, places, isByNode)} as t`
    : ch`select ${columns} from ${flowRows(toRange(selection), selection.periods)} as t
        where ${flowConditions(selection, places)}`;
}

const COUNTED = raw(
  [
    ...['node_id', 'conversation_id', 'forward', 'cluster_id', 'source_ip', 'destination_ip', 'source_workload_id'],
    ...['destination_workload_id', 'source_cidr', 'destination_cidr', 'protocol', 'source_port', 'destination_port'],
    ...['initiator', 'decision', 'bytes', 'packets', 'first_seen_at', 'observed_at'],
  ]
    .map((name) => `t.${name} as ${name}`)
    .join(', '),
);

/**
 * The single flows that are meant, with `counted`: whether a row is the report that counts. See `flowsCountedOnce`. A conversation counts
 * as one flow; each of its nodes has a row if they are grouped by node.
 */
export function countedFlows(selection: FlowSelection, places: ResolvedPlaces, isByNode = false): Part {
  const rows = selectSingleRows(selection, places, COUNTED, isByNode);
  return toConversationSelection(selection) ? rows : flowsCountedOnce(rows);
}
