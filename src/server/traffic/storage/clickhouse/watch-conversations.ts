import type { FlowFacts } from '@/domain/flow-context/flow-context';
import type { WatchedFlows, WatchSelection } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { addressText } from './conditions';
import type { Connection } from './connection';
import { SERVICE_PORT } from './flow-direction';
import { any, ch, inIds, NONE, number, type Part, raw, time } from './statement';
import { flowRows } from './visible-rows';

/** What is read at most of each kind, newest first. The caller counts new drops: it knows the policies. */
const LISTED = 20;
const MAX_NEW_DROPS = 5_000;
const DENIED = `t.decision in ('drop', 'reject')`;

const IS_REPLY = ch`multiIf(ifNull(t.initiator = 'source', false), false, ifNull(t.initiator = 'destination', false), true,
  ifNull(${SERVICE_PORT} = t.source_port, false) and not ifNull(${SERVICE_PORT} = t.destination_port, false))`;
const side = (plain: string, turned: string, name: string) => `if(t.reply, t.${turned}_${name}, t.${plain}_${name})`;

/** Flows by client, server and service: the answering direction counts as the same conversation. */
function watchedConversations({ workload_ids, periods, since, applied_at, written_at }: WatchSelection): Part {
  const ends = any(
    [raw('t.source_workload_id'), raw('t.destination_workload_id')].map((end) => inIds(end, workload_ids)),
  );
  const [applied, written] = [time(applied_at), time(written_at)];
  return ch`
    select t.client_ip as client_ip, t.server_ip as server_ip, t.protocol as protocol, t.port as port, max(t.client_id) as client_id,
      max(t.server_id) as server_id, max(t.observed_at) as seen_at, max(not t.denied and t.first_seen_at < ${applied}) as passed_before,
      max(t.denied and t.first_seen_at < ${applied}) as denied_before, max(not t.denied and t.first_seen_at >= ${written}) as opened,
      max(not t.denied and t.first_seen_at < ${written} and t.observed_at >= ${written}) as continues,
      max(t.denied and t.observed_at >= ${applied}) as denied_since,
      argMaxIf(tuple(t.client_port, t.icmp_type, t.icmp_code, t.decision, t.workload_id, t.nic), t.observed_at,
        t.denied and t.observed_at >= ${applied}) as line
    from (
      select ${raw(
        [
          [side('source', 'destination', 'ip'), 'client_ip'],
          [side('destination', 'source', 'ip'), 'server_ip'],
          [side('source', 'destination', 'workload_id'), 'client_id'],
          [side('destination', 'source', 'workload_id'), 'server_id'],
          [side('source', 'destination', 'port'), 'client_port'],
        ]
          .map(([of, name]) => `${of} as ${name}`)
          .join(', '),
      )}, t.icmp_type as icmp_type, t.icmp_code as icmp_code, t.decision as decision, t.workload_id as workload_id, t.nic as nic,
        t.protocol as protocol, t.port as port, t.first_seen_at as first_seen_at, t.observed_at as observed_at, ${raw(DENIED)} as denied
      from (select t.*, ${SERVICE_PORT} as port, ${IS_REPLY} as reply from ${flowRows({ since, until: null, about: workload_ids }, periods)} as t
        where t.observed_at >= ${time(since)} and ${ends}) as t) as t
    group by t.client_ip, t.server_ip, t.protocol, t.port`;
}

type Listed = WatchedFlows['listed'][number];
type Line = [
  client_port: number | null,
  icmp_type: number | null,
  icmp_code: number | null,
  decision: string,
  workload_id: string,
  nic: number | null,
];
type WatchedRow = Omit<Listed, 'opening' | 'seen_at'> & { seen_ms: number; line: Line; denied_since: number };

const orNull = (id: string | null): string | null => (id === NONE ? null : id);

/** The last line about a packet that was not let through, as the flow that opened the conversation. */
function toOpening({ line, denied_since, ...row }: WatchedRow): FlowFacts | null {
  if (!denied_since) return null;
  const [source_port, icmp_type, icmp_code, decision, workload_id, nic] = line;
  return {
    ...{ source_port, icmp_type, icmp_code, decision, workload_id: orNull(workload_id), nic },
    ...{ source_ip: row.client_ip, destination_ip: row.server_ip, protocol: row.protocol },
    ...{ destination_port: row.port, initiator: 'source' },
  } as FlowFacts;
}

/** What became of the conversations of some workloads since their rules were written. */
export const watchConversations =
  (connection: Connection): FlowStore['watch'] =>
  async (selection) => {
    const kinds = ch`
      select c.*, multiIf(c.passed_before and c.opened, 'opened_anew', c.passed_before and c.denied_since, 'dropped',
        c.passed_before and c.continues, 'on_old_entries', c.passed_before, 'silent',
        c.denied_since and not c.denied_before, 'new_drop', '') as kind
      from (${watchedConversations(selection)}) as c`;
    const counts = await connection.read<{ kind: string; count: number }>(
      ch`select k.kind as kind, count() as count from (${kinds}) as k where k.kind <> '' group by k.kind`,
    );
    const order = `indexOf(['dropped', 'new_drop', 'silent'], k.kind)`;
    const rows = await connection.read<WatchedRow>(ch`
      select k.kind as reason, k.client_id as client_id, ${addressText(raw('k.client_ip'))} as client_ip, k.server_id as server_id,
        ${addressText(raw('k.server_ip'))} as server_ip, k.protocol as protocol, k.port as port,
        toUnixTimestamp64Milli(k.seen_at) as seen_ms, k.line as line, k.denied_since as denied_since
      from (
        select k.*, row_number() over (partition by k.kind order by k.seen_at desc, k.client_ip, k.server_ip, k.protocol, k.port) as n
        from (${kinds}) as k where k.kind in ('dropped', 'silent', 'new_drop')) as k
      where k.n <= if(k.kind = 'new_drop', ${number(MAX_NEW_DROPS)}, ${number(LISTED)}) order by ${raw(order)}, k.n`);
    const count = (kind: string) => counts.find((row) => row.kind === kind)?.count ?? 0;
    return {
      ...{ opened_anew: count('opened_anew'), on_old_entries: count('on_old_entries') },
      ...{ dropped: count('dropped'), silent: count('silent') },
      listed: rows.map((row): Listed => {
        const { line: _, denied_since: __, seen_ms, ...listed } = row;
        const seen_at = new Date(seen_ms).toISOString();
        const ends = { client_id: orNull(row.client_id), server_id: orNull(row.server_id) };
        return { ...listed, ...ends, seen_at, opening: toOpening(row) };
      }),
    };
  };
