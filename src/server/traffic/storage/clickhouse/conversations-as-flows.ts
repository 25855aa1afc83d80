import type { ConversationSelection } from '../flow-selection';
import { conversationConditions } from './conversation-conditions';
import { conversationRows } from './conversation-rows';
import type { ResolvedPlaces } from './names';
import { ch, type Part, raw, uuid } from './statement';
import { toRange } from './visible-rows';

/** What has a reply; see `ANSWERED_STATES`. */
const ANSWERED = 'ESTABLISHED';

const COLUMNS = raw(
  [
    't.id as conversation_id, true as forward, t.cluster_id as cluster_id, t.protocol as protocol, t.decision as decision',
    't.bytes as bytes, t.packets as packets, t.first_seen_at as first_seen_at, t.last_seen_at as observed_at',
    't.icmp_type as icmp_type, t.icmp_code as icmp_code, t.workload_id as workload_id, t.nic as nic',
    ...['ip', 'port', 'workload_id', 'cidr'].map(
      (name) => `t.client_${name} as source_${name}, t.server_${name} as destination_${name}`,
    ),
    // Of two ephemeral ports none is known to be that of the service.
    `if(t.is_client_known or isNotNull(t.service_port), 'source', null) as initiator`,
    `if(t.action = 'allowed' and t.decision = 'observed', '${ANSWERED}', null) as state`,
  ].join(', '),
);

/**
 * Conversations as one flow each, from the client to the server, with the bytes of both directions. By node, each node that reported it
 * has a row; `counted` is one of them.
 */
export function conversationsAsFlows(
  selection: ConversationSelection,
  places: ResolvedPlaces,
  isByNode: boolean,
): Part {
  const { periods, filter } = selection;
  const first = filter.node_id === undefined ? raw('toUUID(t.node_ids[1])') : uuid(filter.node_id);
  const nodes = isByNode && filter.node_id === undefined ? raw('arrayJoin(t.node_ids)') : ch`toString(${first})`;
  const rows = ch`select t.*, ${nodes} as node from ${conversationRows(toRange(selection), periods)} as t
    where ${conversationConditions(selection, places)}`;
  return ch`(select ${COLUMNS}, toUUID(t.node) as node_id, toUUID(t.node) = ${first} as counted from (${rows}) as t)`;
}
