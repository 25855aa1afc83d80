import { type SQL, sql } from 'drizzle-orm';
import type { FlowFacts } from '@/domain/flow-context/flow-context';
import { db } from '../../../db/client';
import type { WatchedFlows, WatchSelection } from '../flow-selection';
import { SERVICE_PORT } from './flow-direction';
import { flowRows, inIdList } from './visible-rows';

/** What is read at most of each kind, newest first. The caller counts new drops: it knows the policies. */
const LISTED = 20;
const MAX_NEW_DROPS = 5_000;
const DENIED = sql.raw(`t.decision in ('drop', 'reject')`);
const time = (column: string): SQL => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Flows by client, server and service: the answering direction counts as the same conversation. */
function conversations({ workload_ids, periods, since, applied_at, written_at }: WatchSelection): SQL {
  const at = (column: string) => inIdList(sql.raw(`t.${column}`), workload_ids);
  return sql`
    select client_ip, server_ip, protocol, port, max(client_id::text)::uuid as client_id, max(server_id::text)::uuid as server_id,
      max(observed_at) as seen_at,
      bool_or(not denied and first_seen_at < ${applied_at}::timestamptz) as passed_before,
      bool_or(denied and first_seen_at < ${applied_at}::timestamptz) as denied_before,
      bool_or(not denied and first_seen_at >= ${written_at}::timestamptz) as opened,
      bool_or(not denied and first_seen_at < ${written_at}::timestamptz and observed_at >= ${written_at}::timestamptz) as continues,
      bool_or(denied and observed_at >= ${applied_at}::timestamptz) as denied_since,
      (array_agg(jsonb_build_object('client_port', client_port, 'icmp_type', icmp_type, 'icmp_code', icmp_code,
        'decision', decision, 'workload_id', workload_id, 'nic', nic) order by observed_at desc)
        filter (where denied and observed_at >= ${applied_at}::timestamptz))[1] as line
    from (
      select case when reply then t.destination_ip else t.source_ip end as client_ip,
        case when reply then t.source_ip else t.destination_ip end as server_ip,
        case when reply then t.destination_workload_id else t.source_workload_id end as client_id,
        case when reply then t.source_workload_id else t.destination_workload_id end as server_id,
        case when reply then t.destination_port else t.source_port end as client_port,
        t.icmp_type, t.icmp_code, t.decision, t.workload_id, t.nic,
        t.protocol, t.port, t.first_seen_at, t.observed_at, ${DENIED} as denied
      from (
        select t.*, ${SERVICE_PORT} as port,
          case t.initiator when 'source' then false when 'destination' then true
            else coalesce(${SERVICE_PORT} = t.source_port and ${SERVICE_PORT} is distinct from t.destination_port, false) end as reply
        from ${flowRows(periods)} as t
        where t.observed_at >= ${since}::timestamptz and (${at('source_workload_id')} or ${at('destination_workload_id')})
      ) as t
    ) as t group by 1, 2, 3, 4`;
}

type Listed = WatchedFlows['listed'][number];
type Line = Pick<FlowFacts, 'icmp_type' | 'icmp_code' | 'decision' | 'workload_id' | 'nic'> & {
  client_port: number | null;
};
type WatchedRow = Omit<Listed, 'opening'> & { line: Line | null };

/** The last line about a packet that was not let through, as the flow that opened the conversation. */
function toOpening(row: Omit<Listed, 'opening'>, line: Line | null): FlowFacts | null {
  if (!line) return null;
  const { client_port: source_port, ...seen } = line;
  const { client_ip: source_ip, server_ip: destination_ip, protocol, port: destination_port } = row;
  return { ...seen, source_ip, destination_ip, protocol, source_port, destination_port, initiator: 'source' };
}

/** What became of the conversations of some workloads since their rules were written. Two queries. */
export async function watchConversations(selection: WatchSelection): Promise<WatchedFlows> {
  const kinds = sql`
    select c.*, case
      when passed_before and opened then 'opened_anew' when passed_before and denied_since then 'dropped'
      when passed_before and continues then 'on_old_entries' when passed_before then 'silent'
      when denied_since and not denied_before then 'new_drop' end as kind
    from (${conversations(selection)}) as c`;
  const counts = await db.execute<{ kind: string; count: number }>(
    sql`select kind, count(*)::int as count from (${kinds}) as k where kind is not null group by 1`,
  );
  const rows = await db.execute<WatchedRow>(sql`
    select kind as reason, client_id, host(client_ip) as client_ip, server_id, host(server_ip) as server_ip, protocol, port,
      ${time('seen_at')} as seen_at, line
    from (
      select k.*, row_number() over (partition by kind order by k.seen_at desc, client_ip, server_ip, protocol, port) as n
      from (${kinds}) as k where kind in ('dropped', 'silent', 'new_drop')
    ) as k where n <= case kind when 'new_drop' then ${MAX_NEW_DROPS}::int else ${LISTED}::int end
    order by case kind when 'dropped' then 0 when 'new_drop' then 1 else 2 end, n`);
  const count = (kind: string) => counts.find((row) => row.kind === kind)?.count ?? 0;
  return {
    ...{ opened_anew: count('opened_anew'), on_old_entries: count('on_old_entries') },
    ...{ dropped: count('dropped'), silent: count('silent') },
    listed: rows.map(({ line, ...row }) => ({ ...row, opening: toOpening(row, line) })),
  };
}
