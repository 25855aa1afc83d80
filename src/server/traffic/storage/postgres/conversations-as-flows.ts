import { type SQL, sql } from 'drizzle-orm';
import type { ConversationSelection } from '../flow-selection';
import { conversationConditions } from './conversation-conditions';
import { conversationRows } from './visible-rows';

/** What has a reply; see `ANSWERED_STATES`. */
const ANSWERED = 'ESTABLISHED';

const COLUMNS = sql.raw(
  [
    't.id as flow_key, t.cluster_id, t.protocol, t.decision, t.bytes, t.packets, t.first_seen_at',
    't.last_seen_at as observed_at, t.icmp_type, t.icmp_code, t.workload_id, t.nic',
    ...['ip', 'port', 'workload_id', 'cidr'].map(
      (name) => `t.client_${name} as source_${name}, t.server_${name} as destination_${name}`,
    ),
    // Of two ephemeral ports none is known to be that of the service.
    `case when t.is_client_known or t.service_port is not null then 'source' end as initiator`,
    `case when t.action = 'allowed' and t.decision = 'observed' then '${ANSWERED}' end as state`,
  ].join(', '),
);

/**
 * Conversations as one flow each, from the client to the server, with the bytes of both directions. By node, each node that reported it
 * has a row; `counted` is one of them.
 */
export function conversationsAsFlows(selection: ConversationSelection, isByNode: boolean): SQL {
  const { periods, filter } = selection;
  const first = filter.node_id === undefined ? sql`t.node_ids[1]` : sql`${filter.node_id}::uuid`;
  const nodes = isByNode && filter.node_id === undefined ? sql`unnest(t.node_ids)` : sql`(select ${first})`;
  return sql`select ${COLUMNS}, n.id as node_id, n.id = ${first} as counted
    from ${conversationRows(periods)} as t cross join lateral ${nodes} as n (id)
    where ${conversationConditions(selection)}`;
}
