import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { ObservedPair } from '@/domain/suggestion/observed';
import type { FlowStore } from '../flow-store';
import { addressText } from './conditions';
import type { Connection } from './connection';
import { conversationConditions } from './conversation-conditions';
import { conversationRows } from './conversation-rows';
import { resolvePlaces } from './names';
import { any, ch, inIds, NONE, number, raw } from './statement';
import { ifVisible, toRange } from './visible-rows';

type PairRow = Omit<ObservedPair, 'client' | 'server'> & {
  readonly client_workload_id: string;
  readonly server_workload_id: string;
  readonly client_address: string;
  readonly server_address: string;
  readonly client_port: number | null;
  readonly server_port: number | null;
  readonly client_external: boolean;
  readonly server_external: boolean;
  readonly total: number;
};

/** Ports that do not say who serves are the same for all: without them a caller's conversations with a service are one row. */
const IS_CERTAIN = `(t.is_client_known or ifNull(t.client_port >= ${EPHEMERAL_FROM} and t.server_port < ${EPHEMERAL_FROM}
  and t.service_port = t.server_port, false))`;
const KEYS = [
  ...['client_workload_id', 'server_workload_id', 'client_address', 'server_address', 'client_port', 'server_port'],
  ...['client_external', 'server_external', 'protocol', 'service_port', 'is_client_known', 'icmp_type'],
  ...['action', 'answered'],
];
const keys = KEYS.map((name) => `t.${name}`).join(', ');

/** Conversations of the same ends, service and outcome as one row, the most frequent first. */
export const sumConversationPairs =
  (connection: Connection): FlowStore['conversations']['pairs'] =>
  async (selection, { at, training_share, most }) => {
    const { visible, periods } = selection;
    const [client, server] = [raw('t.client_workload_id'), raw('t.server_workload_id')];
    const matching = ch`${conversationRows(toRange(selection), periods)} as t
      where ${conversationConditions(selection, await resolvePlaces(selection))} and ${any([inIds(client, at), inIds(server, at)])}`;
    const since = Date.parse(selection.since);
    const [span] = await connection.read<{ count: number; began_ms: number; ended_ms: number }>(ch`
      select count() as count, toUnixTimestamp64Milli(min(t.first_seen_at)) as began_ms,
        toUnixTimestamp64Milli(max(t.first_seen_at)) as ended_ms from ${matching}`);
    if (!span?.count) return { pairs: [], left_out: 0, held_out_since: null };
    const began = Math.max(span.began_ms, since);
    const split = Math.max(Math.round(began + Math.max(span.ended_ms - began, 0) * training_share), since + 1);
    const isTraining = ch`toUnixTimestamp64Milli(t.first_seen_at) <= ${number(split)}`;
    const rows = await connection.read<PairRow>(ch`
      select ${raw(KEYS.map((name) => `t.${name} as ${name}`).join(', '))}, countIf(${isTraining}) as conversations,
        countIf(not ${isTraining}) as held_out, sum(t.bytes) as bytes, toUnixTimestamp64Milli(min(t.first_seen_at)) as first_seen,
        toUnixTimestamp64Milli(max(t.last_seen_at)) as last_seen, sum(count()) over () as total
      from (
        select ${ifVisible(client, visible)} as client_workload_id, ${ifVisible(server, visible)} as server_workload_id,
          ${addressText(raw('t.client_ip'))} as client_address, ${addressText(raw('t.server_ip'))} as server_address,
          ${raw(`if(${IS_CERTAIN}, null, t.client_port) as client_port, if(${IS_CERTAIN}, null, t.server_port) as server_port`)},
          t.client_cidr = '' as client_external, t.server_cidr = '' as server_external, t.protocol as protocol,
          t.service_port as service_port, toBool(${raw(IS_CERTAIN)}) as is_client_known, t.icmp_type as icmp_type, t.action as action,
          toBool(ifNull(t.server_packets, 0) > 0) as answered, t.first_seen_at as first_seen_at, t.last_seen_at as last_seen_at, t.bytes as bytes
        from ${matching}) as t
      group by ${raw(keys)} order by count() desc, ${raw(keys)} limit ${number(most)}`);
    const pairs = rows.map((row): ObservedPair => {
      const { client_workload_id, client_address, client_port, client_external, total: _, ...others } = row;
      const { server_workload_id, server_address, server_port, server_external, ...rest } = others;
      const toEnd = (id: string, ip: string, port: number | null, external: boolean) => ({
        workload_id: id === NONE ? null : id,
        ...{ ip, port, external: Boolean(external) },
      });
      return {
        ...rest,
        client: toEnd(client_workload_id, client_address, client_port, client_external),
        server: toEnd(server_workload_id, server_address, server_port, server_external),
      };
    });
    const kept = pairs.reduce((sum, { conversations, held_out }) => sum + conversations + held_out, 0);
    return { pairs, left_out: (rows[0]?.total ?? 0) - kept, held_out_since: new Date(split).toISOString() };
  };
