import { type SQL, sql } from 'drizzle-orm';
import type { CountedSource, FlowGrouping } from '@/domain/flow/flow-sums';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import { ANSWERED_STATES } from '@/domain/flow-verdict';
import type { Conversation } from '@/domain/topology/conversation-table';
import { db, type Executor } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import type { ConversationFilter, GroupConversation, GroupTraffic, GroupTrafficFilter } from '../flow-rows';
import type { BoundedSelection, FlowReach } from '../flow-selection';
import { selectSingleRows } from './flow-conditions';
import { SERVICE_PORT } from './flow-direction';
import { buildKeyColumns, GROUP_ID, getGroupKeys, KEY_NAMES } from './flow-groups';
import { countedTraffic } from './hour-totals';
import { reportedRollups } from './rollup-conditions';
import { cidrIfVisible, ifVisible } from './visible-rows';

const raw = (text: string): SQL => sql.raw(text);

/** SQL of `getServicePort`: whether a flow is the answering direction. */
export const REPLY: SQL = raw(`case t.initiator
    when 'source' then false
    when 'destination' then true
    else coalesce(t.destination_port >= ${EPHEMERAL_FROM} and t.source_port < ${EPHEMERAL_FROM}, false)
    end`);

const ANSWERED: SQL = raw(`coalesce(t.state in (${ANSWERED_STATES.map((state) => `'${state}'`).join(', ')}), false)`);

/** Reports with their conversations; of single flows the addresses are known, and whether replies were seen. */
function reports(selection: BoundedSelection, source: CountedSource, isByNode: boolean): SQL {
  if (source !== 'flows') return sql`select t.*, false as answered from (${reportedRollups(selection, source)}) as t`;
  const columns = sql`t.node_id, t.source_ip, t.destination_ip, t.source_workload_id, t.destination_workload_id, t.source_cidr,
      t.destination_cidr, t.protocol, t.source_port, t.destination_port, t.initiator, t.decision, t.bytes, t.packets,
      t.source_ip::cidr as source_prefix, t.source_cidr is not null as source_internal,
      t.destination_ip::cidr as destination_prefix, t.destination_cidr is not null as destination_internal,
      ${SERVICE_PORT} as service_port, ${REPLY} as reply, ${ANSWERED} as answered, 1 as flows`;
  return selectSingleRows(selection, columns, isByNode);
}

/**
 * The conversations that some groups of `listFlowGroups` are made of, the heaviest of each. What is evaluated does not depend on
 * how often it is reported, so every report is looked at. One query.
 */
export async function listGroupConversations(
  selection: BoundedSelection,
  source: CountedSource,
  grouping: FlowGrouping,
  { ids, most }: { ids: readonly string[]; most: number },
): Promise<GroupConversation[]> {
  // Any user who may see the flow sees the address of an end, but not its subnet.
  const reach = source === 'flows' ? { ...selection, prefixes: 'all' as const } : selection;
  const keys = buildKeyColumns(getGroupKeys(grouping, source, selection), 'group_');
  const identity = raw(
    ['workload_id', 'prefix', 'internal']
      .flatMap((name) => [`source_${name}`, `destination_${name}`])
      .concat(['protocol', 'port', 'decision', 'answered'])
      .join(', '),
  );
  const names = raw(KEY_NAMES.map((name) => `group_${name}`).join(', '));
  const group = raw(KEY_NAMES.map((name) => `r.group_${name} as ${name}`).join(', '));
  const rows = await db.execute<GroupConversation>(sql`
    with r as (
      select ${names}, ${identity}, sum(bytes) as bytes, sum(packets) as packets, sum(flows) as flows
      from (
        select ${keys}, ${conversationSide('caller', reach)}, ${conversationSide('service', reach)}, t.protocol,
          t.service_port as port, t.decision, t.answered, t.bytes, t.packets, t.flows
        from (${reports(selection, source, grouping === 'node')}) as t) as turned
      group by ${names}, ${identity}),
    told as (select r.*, (select ${GROUP_ID} from (select ${group}) as g) as group_id from r),
    ranked as (select told.*, row_number() over w as place, count(*) over (partition by group_id)::int as total from told
      where group_id = any (${pgArray('text', ids)})
      window w as (partition by group_id order by bytes desc nulls last, ${identity}))
    select group_id, total, source_workload_id, source_prefix::text, source_internal, destination_workload_id,
      destination_prefix::text, destination_internal, protocol, port, decision, answered, coalesce(bytes, 0)::float8 as bytes,
      coalesce(packets, 0)::float8 as packets, flows::float8 as flows, '' as last_seen_at
    from ranked where place <= ${most} order by group_id, place`);
  return [...rows];
}

function sideColumn(end: 'caller' | 'service', name: string): SQL {
  const [plain, turned] = end === 'caller' ? ['source', 'destination'] : ['destination', 'source'];
  return raw(`(case when t.reply then t.${turned}_${name} else t.${plain}_${name} end)`);
}

/**
 * The caller's or the service's side of a sum: an answer is counted to the conversation that it answers. A workload that may
 * not be seen is none, and a subnet that may not be seen is every address.
 */
export function conversationSide(end: 'caller' | 'service', reach: FlowReach): SQL {
  const plain = end === 'caller' ? 'source' : 'destination';
  const column = (name: string) => sideColumn(end, name);
  const [workload, prefix, internal] = [column('workload_id'), column('prefix'), column('internal')];
  return sql`${ifVisible(workload, reach.visible)} as ${raw(plain)}_workload_id,
    case when ${internal} then ${cidrIfVisible(prefix, workload, reach)} else ${prefix} end as ${raw(plain)}_prefix,
    ${internal} as ${raw(plain)}_internal`;
}

const narrowed = ({ hosts = false, at, from_outside = false }: ConversationFilter): SQL =>
  sql.join(
    [
      ...(hosts ? [] : [sql`(source_workload_id is not null or destination_workload_id is not null)`]),
      ...(at
        ? [
            sql`(source_workload_id = any (${pgArray('uuid', at)}) or destination_workload_id = any (${pgArray('uuid', at)}))`,
          ]
        : []),
      ...(from_outside
        ? [sql`source_workload_id is null and not source_internal and destination_workload_id is not null`]
        : []),
      sql`true`,
    ],
    sql` and `,
  );

const turnedTraffic = (traffic: SQL, selection: BoundedSelection): SQL => sql`
  select ${conversationSide('caller', selection)}, ${conversationSide('service', selection)},
    t.protocol, t.service_port as port, t.decision, t.bytes, t.packets, t.flows, t.last_counted_at from (${traffic}) as t where t.counted`;

/**
 * Conversations that traffic is made of: who opened them with whom, by service and verdict. Each counts once, however many nodes
 * reported it. One query, in which only what is returned becomes text.
 * @param traffic rows of `countedTraffic`
 * @param limit SQL of an order and a limit
 */
export async function sumConversations(
  executor: Executor,
  traffic: SQL,
  selection: BoundedSelection,
  { filter, limit }: { filter: ConversationFilter; limit: SQL },
): Promise<Conversation[]> {
  const rows = await executor.execute<Conversation>(sql`
    select source_workload_id, source_prefix::text, source_internal, destination_workload_id, destination_prefix::text,
      destination_internal, protocol, port, decision, bytes::float8, packets::float8, flows::float8,
      to_char(last_counted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_seen_at
    from (select source_workload_id, source_prefix, source_internal, destination_workload_id, destination_prefix, destination_internal,
        protocol, port, decision, sum(bytes) as bytes, sum(packets) as packets, sum(flows) as flows, max(last_counted_at) as last_counted_at
      from (${turnedTraffic(traffic, selection)}) as turned where ${narrowed(filter)} group by 1, 2, 3, 4, 5, 6, 7, 8, 9 ${limit}) as c`);
  return [...rows];
}

/** A workload that is in no group, and yet not outside. */
const IN_NONE = -1;

/** What passed between groups of workloads. Each report counts once, however many nodes reported it. One query. */
export async function listGroupTraffic(
  selection: BoundedSelection,
  source: 'minutes' | 'hours',
  { groups, protocols, port, at }: GroupTrafficFilter,
): Promise<GroupTraffic[]> {
  const members = [...groups].flatMap(([id, list]) =>
    (list.length === 0 ? [IN_NONE] : list).map((number) => ({ id, number: String(number) })),
  );
  const { visible } = selection;
  const rows = await db.execute<GroupTraffic>(sql`
    with t as (${countedTraffic(selection, source)}),
    member as materialized (select m.workload_id, array_agg(m.number) as numbers from unnest(${pgArray(
      'uuid',
      members.map(({ id }) => id),
    )}, ${pgArray(
      'int',
      members.map(({ number }) => number),
    )}) as m(workload_id, number) group by m.workload_id),
    turned as (select ${ifVisible(sideColumn('caller', 'workload_id'), visible)} as source_workload_id,
        ${ifVisible(sideColumn('service', 'workload_id'), visible)} as destination_workload_id, t.flows, t.last_counted_at
      from t where t.counted and t.decision not in ('drop', 'reject')
        and ${protocols === null ? sql`true` : sql`t.protocol = any (${pgArray('text', protocols)})`}
        and ${port === undefined ? sql`true` : sql`t.service_port = ${port}`}),
    passed as (select a.numbers as callers, b.numbers as services, sum(t.flows) as flows, max(t.last_counted_at) as last_counted_at
      from turned as t left join member as a on a.workload_id = t.source_workload_id
        left join member as b on b.workload_id = t.destination_workload_id
      where ${narrowed({ hosts: true, at })} group by 1, 2)
    select a.number as from, b.number as to, sum(p.flows)::float8 as flows,
      to_char(max(p.last_counted_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_seen_at
    from passed as p left join lateral unnest(p.callers) as a(number) on true left join lateral unnest(p.services) as b(number) on true
    where a.number is distinct from ${IN_NONE} and b.number is distinct from ${IN_NONE}
    group by 1, 2 order by 1, 2`);
  return [...rows];
}
