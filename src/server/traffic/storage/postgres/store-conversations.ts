import { type SQL, sql } from 'drizzle-orm';
import { CLOSED_STATES } from '@/domain/flow/assign-conversation';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import { ANSWERED_STATES } from '@/domain/flow-verdict';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { trafficConversations, trafficFlows } from '../../../db/schema/flows';
import { unnestRows } from '../../../db/unnest-rows';
import { FORWARD, REPLY } from './flow-direction';

/** A conversation with what does not follow from its flows, and how often it was written when it was read; 0: not stored. */
export type ConversationIdentity = { id: string; conversation_key: string; ordinal: number; revision: number };

const IDENTITY = { id: 'uuid', conversation_key: 'uuid', ordinal: 'int', revision: 'int' } as const;

const raw = (text: string): SQL => sql.raw(text);
const list = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');
const MAX = Number.MAX_SAFE_INTEGER;

/** Of both directions and all decisions: whether a reply was seen that no firewall sent itself. */
const PASSING = `decision not in ('drop', 'reject') and packets is distinct from 0 and state is distinct from 'CLOSE'`;

/** The column of the low or the high end. */
const end = (side: 'low' | 'high', column: string) =>
  side === 'low'
    ? `case when forward then source_${column} else destination_${column} end`
    : `case when forward then destination_${column} else source_${column} end`;

const ends = (column: string, aggregate: (value: string) => string) =>
  (['low', 'high'] as const).map((side) => `${aggregate(end(side, column))} as ${side}_${column}`).join(', ');

/** There is no greatest UUID before PostgreSQL 18. */
const maxId = (value: string) => `max((${value})::text)::uuid`;

const buildSum = (column: string, direction: string, filter: string) =>
  `sum(${column}) filter (where ${direction}${filter})`;

/** A counter in one direction: each node's between an unknown end, else that of the node that saw most. */
const counted = (column: string, name: string, direction: string) =>
  `${buildSum(column, direction, '')} as ${name}_all, ${buildSum(column, direction, ' and place = 1')} as ${name}_one`;

/**
 * What flows of conversations add up to: the definition of a conversation. Each direction and decision counts once, as in
 * `flowsCountedOnce`. What was observed last decides the action; a denial at the same time as a reply wins.
 */
function summedFlows(touched: SQL): SQL {
  return sql`
    select g.*, case when low_workload_id is not null and high_workload_id is not null then forward_bytes_one else forward_bytes_all end as forward_bytes,
      case when low_workload_id is not null and high_workload_id is not null then forward_packets_one else forward_packets_all end as forward_packets,
      case when low_workload_id is not null and high_workload_id is not null then back_bytes_one else back_bytes_all end as back_bytes,
      case when low_workload_id is not null and high_workload_id is not null then back_packets_one else back_packets_all end as back_packets,
      denied_at is not null and denied_at >= coalesce(allowed_at, '-infinity') as is_denied,
      coalesce(client_claim, case when all_claims = any_claims then any_claims else forward_from <= back_from end, true) as is_low_client
    from (
      select id, conversation_key, ordinal, ${raw(maxId('cluster_id'))} as cluster_id, max(protocol) as protocol,
        ${raw(ends('ip', (value) => `max(${value})`))}, ${raw(ends('port', (value) => `max(${value})`))},
        ${raw(ends('workload_id', maxId))}, ${raw(ends('cidr', (value) => `max((${value})::inet)::cidr`))},
        min(observer) as observer,
        max(icmp_type) filter (where forward) as forward_icmp_type, max(icmp_code) filter (where forward) as forward_icmp_code,
        max(icmp_type) filter (where not forward) as back_icmp_type, max(icmp_code) filter (where not forward) as back_icmp_code,
        ${raw(['bytes', 'packets'].flatMap((name) => [counted(name, `forward_${name}`, 'forward'), counted(name, `back_${name}`, 'not forward')]).join(', '))},
        bool_or(claim) filter (where is_opener_known) as client_claim, bool_or(claim) as any_claims, bool_and(claim) as all_claims,
        min(first_seen_at) filter (where forward) as forward_from, min(first_seen_at) filter (where not forward) as back_from,
        bool_or(is_opener_known) as is_client_known,
        max(observed_at) filter (where decision in ('drop', 'reject')) as denied_at,
        max(observed_at) filter (where decision = 'reject') as rejected_at,
        max(observed_at) filter (where decision = 'accept') as accepted_at,
        greatest(max(observed_at) filter (where decision = 'accept'), max(observed_at) filter (where answered and decision = 'observed'),
          case when bool_or(passed_at is not null) filter (where forward) and bool_or(passed_at is not null) filter (where not forward)
            then least(max(passed_at) filter (where forward), max(passed_at) filter (where not forward)) end) as allowed_at,
        max(observed_at) filter (where closed) as closed_at, max(observed_at) filter (where decision not in ('drop', 'reject')) as open_at,
        array_agg(distinct node_id) as node_ids, min(first_seen_at) as first_seen_at, max(observed_at) as last_seen_at,
        min(created_at) as created_at
      from (
        select *, row_number() over (partition by id, forward, decision
          order by bytes desc nulls last, packets desc nulls last, observed_at desc, node_id) as place
        from (
          select id, conversation_key, ordinal, cluster_id, node_id, protocol, forward, decision, source_ip, destination_ip,
            source_port, destination_port, ${raw(maxId('source_workload_id'))} as source_workload_id,
            ${raw(maxId('destination_workload_id'))} as destination_workload_id,
            max(source_cidr::inet)::cidr as source_cidr, max(destination_cidr::inet)::cidr as destination_cidr,
            min(workload_id::text || coalesce('/' || nic, '')) as observer, max(icmp_type) as icmp_type, max(icmp_code) as icmp_code,
            sum(bytes) as bytes, sum(packets) as packets, bool_or(initiator is not null) as is_opener_known,
            bool_or(forward <> reply) as claim, bool_or(state in (${raw(list(ANSWERED_STATES))})) as answered,
            bool_or(state in (${raw(list(CLOSED_STATES))})) as closed,
            max(observed_at) filter (where ${raw(PASSING)}) as passed_at,
            min(first_seen_at) as first_seen_at, max(observed_at) as observed_at, min(created_at) as created_at
          from (
            select c.id, c.conversation_key, c.ordinal, t.*, ${FORWARD} as forward, ${raw(REPLY)} as reply
            from ${touched} as c
            cross join lateral (select * from ${trafficFlows} as t where t.conversation_id = c.id offset 0) as t) as f
          group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) as n) as p
      group by id, conversation_key, ordinal) as g`;
}

/** The client's or the server's column. */
const of = (who: 'client' | 'server', column: string) => {
  const [low, high] = who === 'client' ? ['low', 'high'] : ['high', 'low'];
  return `case when is_low_client then ${low}_${column} else ${high}_${column} end`;
};
const sent = (who: 'client' | 'server', column: string) => {
  const [low, high] = who === 'client' ? ['forward', 'back'] : ['back', 'forward'];
  return `case when is_low_client then ${low}_${column} else ${high}_${column} end`;
};
/** Unknown stays unknown: `least` would leave it out. */
const capped = (value: string) => `case when (${value}) is not null then least(${value}, ${MAX})::bigint end`;
const both = (column: string) =>
  capped(`coalesce(forward_${column} + back_${column}, forward_${column}, back_${column})`);

const VALUES: Record<string, string> = {
  cluster_id: 'cluster_id',
  protocol: 'protocol',
  client_ip: of('client', 'ip'),
  server_ip: of('server', 'ip'),
  client_port: of('client', 'port'),
  server_port: of('server', 'port'),
  service_port: `case when is_client_known or ${of('server', 'port')} < ${EPHEMERAL_FROM} then ${of('server', 'port')} end`,
  is_client_known: 'is_client_known',
  client_workload_id: of('client', 'workload_id'),
  server_workload_id: of('server', 'workload_id'),
  client_cidr: of('client', 'cidr'),
  server_cidr: of('server', 'cidr'),
  workload_id: `split_part(observer, '/', 1)::uuid`,
  nic: `nullif(split_part(observer, '/', 2), '')::smallint`,
  icmp_type: sent('client', 'icmp_type'),
  icmp_code: sent('client', 'icmp_code'),
  bytes: both('bytes'),
  packets: both('packets'),
  client_bytes: capped(sent('client', 'bytes')),
  client_packets: capped(sent('client', 'packets')),
  server_bytes: capped(sent('server', 'bytes')),
  server_packets: capped(sent('server', 'packets')),
  action: `case when is_denied then case when rejected_at = denied_at then 'rejected' else 'dropped' end
    when allowed_at is not null then 'allowed' else 'unknown' end`,
  decision: `case when is_denied then case when rejected_at = denied_at then 'reject' else 'drop' end
    when accepted_at is not null then 'accept' else 'observed' end`,
  is_closed: 'coalesce(closed_at >= open_at, false)',
  node_ids: 'node_ids',
  first_seen_at: 'first_seen_at',
  last_seen_at: 'last_seen_at',
  created_at: 'created_at',
};
const NAMES = Object.keys(VALUES);

const DERIVED = NAMES.map((name) => `${name} = excluded.${name}`).join(', ');
/** Whether an end became known: the workload of either may be the other one of before. */
const LEARNED = ['client', 'server']
  .map(
    (
      who,
    ) => `excluded.${who}_workload_id is not null and excluded.${who}_workload_id is distinct from t.client_workload_id
      and excluded.${who}_workload_id is distinct from t.server_workload_id`,
  )
  .join(' or ');

/**
 * Writes what the stored flows of conversations add up to. A conversation that another transaction wrote in the meantime was summed up
 * from what was stored before: it is locked by then, and is summed up again. The time of the write is the database's: clocks of processes
 * differ, and the one that reads what settled has another one.
 * @param isExpiry whether only old flows went: that is no change of the conversation, and leaves the time of its last one
 */
async function writeConversations(executor: Executor, touched: SQL, isExpiry = false): Promise<string[]> {
  const rows = await executor.execute<{ ids: string | null }>(sql`
    with touched as materialized ${touched},
    stored as (
      insert into ${trafficConversations} as t (id, conversation_key, ordinal, ${raw(NAMES.join(', '))}, updated_at)
      select s.id, s.conversation_key, s.ordinal, ${raw(Object.values(VALUES).join(', '))}, clock_timestamp()
      from (${summedFlows(raw('touched'))}) as s
      order by s.id
      on conflict (id) do update set ${raw(DERIVED)}, updated_at = ${raw(isExpiry ? 't.updated_at' : 'excluded.updated_at')}, revision = t.revision + 1,
        is_merge_due = t.is_merge_due or ${raw(LEARNED)}
      returning id, revision)
    select string_agg(id::text, ',') as ids from stored join touched using (id) where stored.revision <> touched.revision + 1`);
  const ids = rows[0]?.ids;
  return ids ? ids.split(',') : [];
}

const byId = (ids: readonly string[]): SQL =>
  sql`(select id, conversation_key, ordinal, revision from ${trafficConversations} where id = any (${pgArray('uuid', ids)}))`;

/** Sums up the flows of conversations, stored ones and new ones. */
export async function storeConversations(executor: Executor, touched: readonly ConversationIdentity[]): Promise<void> {
  if (touched.length === 0) return;
  const again = await writeConversations(executor, unnestRows(IDENTITY, 'id', touched));
  if (again.length > 0) await writeConversations(executor, byId(again));
}

/**
 * Sums up the flows of conversations that come from another store, with what does not follow from these: when they changed last there, so
 * that what has been read of them settles no second time, and is older than what changes from now on.
 * @param ids those of which flows in `moving_flows` have been stored
 */
export async function storeMovedConversations(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    with touched as materialized (
      select conversation_id as id, min(conversation_key::text)::uuid as conversation_key, min(ordinal) as ordinal, bool_or(is_final) as is_final,
        max(changed_at) as changed_at
      from moving_flows where conversation_id = any (${pgArray('uuid', ids)}) group by conversation_id)
    insert into ${trafficConversations} as t (id, conversation_key, ordinal, is_final, ${raw(NAMES.join(', '))}, updated_at, moved_revision)
    select s.id, s.conversation_key, s.ordinal, m.is_final, ${raw(Object.values(VALUES).join(', '))}, m.changed_at,
      (extract(epoch from m.changed_at) * 1000)::bigint - 1
    from (${summedFlows(raw('touched'))}) as s join touched as m on m.id = s.id
    order by s.id
    on conflict (id) do update set ${raw(DERIVED)}, revision = t.revision + 1`);
}

/** Sums up stored conversations of which flows changed or went, and deletes those that have none left. */
export async function resumConversations(executor: Executor, ids: readonly string[], isExpiry = false): Promise<void> {
  if (ids.length === 0) return;
  const again = await writeConversations(executor, byId(ids), isExpiry);
  if (again.length > 0) await writeConversations(executor, byId(again), isExpiry);
  // The revision keeps one that got a flow in the meantime: the row is read again when it was locked, its flows are not.
  await executor.execute(sql`
    delete from ${trafficConversations} as c using ${trafficConversations} as s
    where s.id = any (${pgArray('uuid', ids)}) and c.id = s.id and c.revision = s.revision
      and not exists (select 1 from ${trafficFlows} as t where t.conversation_id = c.id)`);
}

/** Ends conversations permanently: what is reported from now on begins another one. */
export async function endConversations(executor: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await executor.execute(sql`
    with held as materialized (
      select id from ${trafficConversations} where id = any (${pgArray('uuid', ids)}) order by id for update)
    update ${trafficConversations} as c set is_final = true, revision = c.revision + 1 from held where c.id = held.id`);
}
