import { type SQL, sql } from 'drizzle-orm';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { ObservedPair } from '@/domain/suggestion/observed';
import { db } from '../../../db/client';
import type { FlowStore } from '../flow-store';
import { conversationConditions } from './conversation-conditions';
import { conversationRows, ifVisible, inIdList } from './visible-rows';

type PairRow = Omit<ObservedPair, 'client' | 'server'> & {
  readonly client_workload_id: string | null;
  readonly server_workload_id: string | null;
  readonly client_ip: string;
  readonly server_ip: string;
  readonly client_port: number | null;
  readonly server_port: number | null;
  readonly client_external: boolean;
  readonly server_external: boolean;
  readonly total: number;
  readonly held_out_since: string;
};

const raw = (text: string): SQL => sql.raw(text);

/** Ports that do not say who serves are the same for all: without them a caller's conversations with a service are one row. */
const IS_CERTAIN = raw(
  `(t.is_client_known or (t.client_port >= ${EPHEMERAL_FROM} and t.server_port < ${EPHEMERAL_FROM} and t.service_port = t.server_port))`,
);
const KEYS = [
  ...['client_workload_id', 'server_workload_id', 'client_ip', 'server_ip', 'client_port', 'server_port'],
  ...['client_external', 'server_external', 'protocol', 'service_port', 'is_client_known', 'icmp_type'],
  ...['action', 'answered'],
].join(', ');
const MS = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** Conversations of the same ends, service and outcome as one row, the most frequent first, in one query. */
export const sumConversationPairs: FlowStore['conversations']['pairs'] = async (
  selection,
  { at, training_share, most },
) => {
  const { visible, periods } = selection;
  const [client, server] = [raw('t.client_workload_id'), raw('t.server_workload_id')];
  const rows = await db.execute<PairRow>(sql`
    with t as materialized (
      select ${ifVisible(client, visible)} as client_workload_id, ${ifVisible(server, visible)} as server_workload_id,
        host(t.client_ip) as client_ip, host(t.server_ip) as server_ip,
        case when not ${IS_CERTAIN} then t.client_port end as client_port,
        case when not ${IS_CERTAIN} then t.server_port end as server_port,
        t.client_cidr is null as client_external, t.server_cidr is null as server_external, t.protocol, t.service_port,
        coalesce(${IS_CERTAIN}, false) as is_client_known, t.icmp_type, t.action, coalesce(t.server_packets, 0) > 0 as answered,
        t.first_seen_at, t.last_seen_at, t.bytes
      from ${conversationRows(periods)} as t
      where ${conversationConditions(selection)} and (${inIdList(client, at)} or ${inIdList(server, at)})
    ), span as (
      select greatest(min(first_seen_at), ${selection.since}::timestamptz) as began, max(first_seen_at) as ended from t
    ), split as (
      select greatest(began + greatest(ended - began, interval '0') * ${training_share}::float8,
        ${selection.since}::timestamptz + interval '1 millisecond') as held_out_since from span
    )
    select ${raw(KEYS)}, to_json(min(held_out_since)) #>> '{}' as held_out_since,
      (count(*) filter (where first_seen_at <= held_out_since))::int as conversations,
      (count(*) filter (where first_seen_at > held_out_since))::int as held_out,
      sum(bytes)::float8 as bytes, ${raw(`${MS('min(first_seen_at)')} as first_seen, ${MS('max(last_seen_at)')} as last_seen`)},
      (sum(count(*)) over ())::float8 as total
    from t cross join split
    group by ${raw(KEYS)}
    order by count(*) desc, ${raw(KEYS)}
    limit ${most}`);
  const pairs = rows.map(
    ({
      client_workload_id,
      client_ip,
      client_port,
      client_external,
      total: _,
      held_out_since: __,
      ...row
    }): ObservedPair => {
      const { server_workload_id, server_ip, server_port, server_external, ...rest } = row;
      return {
        ...rest,
        client: { workload_id: client_workload_id, ip: client_ip, port: client_port, external: client_external },
        server: { workload_id: server_workload_id, ip: server_ip, port: server_port, external: server_external },
      };
    },
  );
  const kept = pairs.reduce((sum, { conversations, held_out }) => sum + conversations + held_out, 0);
  return { pairs, left_out: (rows[0]?.total ?? 0) - kept, held_out_since: rows[0]?.held_out_since ?? null };
};
