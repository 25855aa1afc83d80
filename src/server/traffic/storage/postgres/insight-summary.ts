import { sql } from 'drizzle-orm';
import { formatFlowEnd } from '@/domain/flow/flow-end';
import type { InsightsSummary } from '@/domain/insights';
import type { Executor } from '../../../db/client';
import type { InsightSelection } from '../flow-selection';
import { REPLY } from './conversations';
import { SERVICE_PORT } from './flow-direction';
import { insightRows } from './insight-rows';
import { cidrIfVisible, getWorkloadNameColumn, ifVisible } from './visible-rows';

/** How many peers and ports are named. */
const TOP = 10;

type Row = Omit<InsightsSummary, 'top_peers'> & {
  top_peers: (Omit<InsightsSummary['top_peers'][number], 'label'> & { cidr: string | null })[];
};

const SUMS = sql.raw(
  `'flows', count(*), 'conversations', count(distinct conversation), 'bytes', coalesce(sum(bytes), 0), 'packets', coalesce(sum(packets), 0)`,
);

const sumsWhere = (column: string) =>
  sql.raw(
    `json_build_object('flows', count(*) filter (where ${column}), 'bytes', coalesce(sum(bytes) filter (where ${column}), 0),
      'packets', coalesce(sum(packets) filter (where ${column}), 0))`,
  );

const GROUP_SUMS = sql.raw(
  'count(*) as flows, count(distinct conversation) as conversations, coalesce(sum(bytes), 0) as bytes, coalesce(sum(packets), 0) as packets',
);

/** Flows of conversations that the other end opened. */
const OPENED_BY_PEER = sql.raw('count(*) filter (where coalesce(inbound, false) <> reply) as opened_by_peer');

/** Totals of a workload's flows, each once, with the largest peers and ports. One query. */
export async function sumInsights(executor: Executor, selection: InsightSelection): Promise<InsightsSummary> {
  const { visible } = selection;
  const me = sql`${selection.filter.workload_id}::uuid`;
  const cidr = (end: 'source' | 'destination') =>
    cidrIfVisible(sql.raw(`t.${end}_cidr`), sql.raw(`t.${end}_workload_id`), selection);
  const columns = sql`coalesce(t.conversation_id, t.flow_key) as conversation, t.decision, t.bytes, t.packets, t.protocol, ${SERVICE_PORT} as port, coalesce(${REPLY}, false) as reply,
    t.destination_workload_id = ${me} as inbound, t.source_workload_id = ${me} as outbound,
    case when t.source_workload_id = ${me} then t.destination_ip when t.destination_workload_id = ${me} then t.source_ip end as peer_ip,
    case when t.source_workload_id = ${me} then ${cidr('destination')} else ${cidr('source')} end as peer_cidr,
    case when t.source_workload_id = ${me} then ${ifVisible(sql.raw('t.destination_workload_id'), visible)}
      else ${ifVisible(sql.raw('t.source_workload_id'), visible)} end as peer_id`;
  const [row] = await executor.execute<{ summary: Row }>(sql`
    with f as materialized (select * from (${insightRows(selection, sql`t.flow_key, ${columns}`)}) as f),
      peers as (select peer_ip, peer_id, max(peer_cidr::inet) as cidr, ${GROUP_SUMS}, ${OPENED_BY_PEER} from f
        where peer_ip is not null group by peer_ip, peer_id),
      ports as (select protocol, port, ${GROUP_SUMS}, ${OPENED_BY_PEER} from f group by protocol, port)
    select json_build_object(
      ${SUMS}, 'inbound', ${sumsWhere('inbound')}, 'outbound', ${sumsWhere('outbound')},
      'by_decision', (select coalesce(json_agg(d order by d.decision), '[]') from (
        select decision, ${GROUP_SUMS} from f group by decision) as d),
      'peers_total', (select count(*) from peers),
      'top_peers', (select coalesce(json_agg(p order by p.bytes desc, p.flows desc, p.ip), '[]') from (
        select host(peers.peer_ip) as ip, peers.cidr::cidr::text as cidr, w.id as workload_id, ${getWorkloadNameColumn('w', selection.periods)} as workload_name,
          peers.flows, peers.conversations, peers.bytes, peers.packets, peers.opened_by_peer
        from peers left join workloads as w on w.id = peers.peer_id
        order by peers.bytes desc, peers.flows desc, host(peers.peer_ip) limit ${TOP}) as p),
      'ports_total', (select count(*) from ports),
      'top_ports', (select coalesce(json_agg(p order by p.bytes desc, p.flows desc, p.protocol, p.port), '[]') from (
        select * from ports order by bytes desc, flows desc, protocol, port limit ${TOP}) as p)
    ) as summary from f`);
  if (!row) throw new Error('expected a row of totals');
  const { top_peers, ...summary } = row.summary;
  return {
    ...summary,
    top_peers: top_peers.map(({ cidr, ...peer }) => ({ ...peer, label: formatFlowEnd(peer.ip, cidr) })),
  };
}
