import type { FlowStore } from '../flow-store';
import { ANSWERED, type SuspiciousRow } from '../suspicious-row';
import { addressText, isNone } from './conditions';
import type { Connection } from './connection';
import { IS_ANSWERED } from './flow-direction';
import { all, any, ch, inIds, NONE, type Part, raw, texts, time } from './statement';
import { flowRows, ifVisible, toRange } from './visible-rows';

/** Ports of `SENSITIVE_PORTS`. */
const isSensitive = (row: string) =>
  `(${row}.destination_port in (22, 139, 445, 3306, 3389, 5432, 6379) or ${row}.destination_port between 5900 and 5999)`;

/** A port that opens connections to a sensitive service; RDP also speaks UDP. Answers of such a service are none. */
const CONDITION = `ifNull(${isSensitive('t')}, false) and ifNull(t.initiator <> 'destination', true)
  and (t.protocol = 'tcp' or t.protocol = 'udp' and ifNull(t.destination_port = 3389, false))`;

/**
 * The outcome of a conversation that several rows report: packets that were let through make it accepted, an answered
 * connection was not denied as a whole, otherwise the log's verdict outranks a mere observation. The first of these
 * that any row reports.
 */
const VERDICT = `['accept', '${ANSWERED}', 'reject', 'drop', 'observed'][min(multiIf(t.decision = 'accept', 1,
  t.decision = 'reject', 3, t.decision = 'drop', 4, ${IS_ANSWERED}, 2, 5))]`;

const [SOURCE, DESTINATION, OBSERVER] = ['source_workload_id', 'destination_workload_id', 'workload_id'].map((name) =>
  raw(`t.${name}`),
) as [Part, Part, Part];

const CONVERSATION = 't.cluster_id, t.source_ip, t.destination_ip, t.source_port, t.destination_port, t.protocol';
const IDENTITY =
  'c.cluster_id, c.source_ip, c.destination_ip, c.destination_workload_id, c.destination_port, c.protocol, c.decision';
const same = (least: string, most: string) => `if(min(${least}) = max(${most}), toString(min(${least})), '')`;

/**
 * Flows to sensitive ports of the selection's time and reach whose source was in no subnet when they were stored, or
 * in one of `gone`. A conversation that several nodes saw counts once, with the largest counters. Workloads that are not visible are
 * none.
 */
export const sumSuspiciousFlows =
  (connection: Connection): FlowStore['suspicious'] =>
  (selection, gone) => {
    const { visible, periods, until } = selection;
    const isGone = (row: string) => ch`has(${texts(gone)}, ${raw(row)}.source_cidr)`;
    // A source that is in no subnet was in none in any report; one that was filled in later is a row without ports.
    const reported = [
      raw(`s.source_cidr = '' and ifNull(${isSensitive('s')}, false)`),
      ...(gone.length === 0 ? [] : [isGone('s')]),
    ];
    const range = { ...toRange(selection), reported };
    const isSeen = (ids: readonly string[]) =>
      any([
        inIds(SOURCE, ids),
        inIds(DESTINATION, ids),
        all([inIds(OBSERVER, ids), isNone(SOURCE), isNone(DESTINATION)]),
      ]);
    const where = all([
      raw(`(${CONDITION})`),
      any([raw(`t.source_cidr = ''`), ...(gone.length === 0 ? [] : [isGone('t')])]),
      ch`t.observed_at >= ${time(range.since)}`,
      ...(until === null ? [] : [ch`t.first_seen_at < ${time(until)}`]),
      ...(visible === 'all' ? [] : [isSeen(visible)]),
      ch`not (not ${isNone(SOURCE)} and ${isNone(DESTINATION)} and t.destination_cidr = '')`,
    ]);
    const isTheirs = `t.workload_id = t.destination_workload_id and t.workload_id <> toUUID('${NONE}')`;
    return connection.read<SuspiciousRow>(ch`
      select concat(toString(c.cluster_id), '|', ${addressText(raw('c.source_ip'))}, '|', ${addressText(raw('c.destination_ip'))}, '|',
          if(${isNone(raw('c.destination_workload_id'))}, '', toString(c.destination_workload_id)), '|', toString(c.destination_port), '|',
          c.protocol, '|', c.decision, '|', ifNull(${raw(same('c.source_port', 'c.source_port'))}, ''), '|',
          ifNull(${raw(same('c.first_nic', 'c.last_nic'))}, '')) as ends,
        concat(toString(count()), '|', ifNull(toString(sum(c.bytes)), ''), '|', ifNull(toString(sum(c.packets)), ''), '|',
          toString(toUnixTimestamp64Milli(min(c.first_seen_at))), '|', toString(toUnixTimestamp64Milli(max(c.last_seen_at)))) as sums
      from (
        select d.* except (known_workload_id), ${ifVisible(raw('d.known_workload_id'), visible)} as destination_workload_id
        from (
          select ${raw(
            CONVERSATION.split(', ')
              .map((name) => `${name} as ${name.slice(2)}`)
              .join(', '),
          )}, max(${DESTINATION}) as known_workload_id, ${raw(VERDICT)} as decision,
            minIf(t.nic, ${raw(isTheirs)}) as first_nic, maxIf(t.nic, ${raw(isTheirs)}) as last_nic, max(t.bytes) as bytes,
            max(t.packets) as packets, min(t.first_seen_at) as first_seen_at, max(t.observed_at) as last_seen_at
          from ${flowRows(range, periods)} as t where ${where} group by ${raw(CONVERSATION)}) as d) as c
      group by ${raw(IDENTITY)}`);
  };

/** Subnets that sources of flows to sensitive ports were in when these were stored. */
export const findSensitiveSources =
  (connection: Connection): FlowStore['sensitiveSources'] =>
  async () => {
    const rows = await connection.read<{ cidr: string }>(
      ch`select distinct t.source_cidr as cidr from flows as t where t.observed_at >= (select max(until) from flow_expiry) and t.source_cidr <> '' and ifNull(${raw(isSensitive('t'))}, false) order by cidr`,
    );
    return rows.map(({ cidr }) => cidr);
  };
