import { formatFlowEnd } from '@/domain/flow/flow-end';
import type { InsightsSummary } from '@/domain/insights';
import type { FlowInsights } from '../flow-store';
import { addressText } from './conditions';
import type { Connection } from './connection';
import { PORT_REPLY, SERVICE_PORT } from './flow-direction';
import { insightRows } from './insight-rows';
import { findNames, nameWorkloads, resolvePlaces } from './names';
import { ch, NONE, number, raw, uuid } from './statement';
import { cidrIfVisible, ifVisible } from './visible-rows';

/** How many peers and ports are named. */
const TOP = 10;

type Sums = { flows: number; conversations: number; bytes: number; packets: number };
/** What a decision, peer or port adds up to, or all; `total`: how many of these there are. */
type SummaryRow = Sums &
  Record<`${'inbound' | 'outbound'}_${'flows' | 'bytes' | 'packets'}`, number> & {
    part: 'decision' | 'peer' | 'port' | 'whole';
    decision: string;
    ip: string;
    peer: string;
    cidr: string;
    protocol: string;
    port: number | null;
    opened_by_peer: number;
    total: number;
  };

const sums = (which = 'true') =>
  `countIf(${which}) as flows, sumIf(ifNull(f.bytes, 0), ${which}) as bytes, sumIf(ifNull(f.packets, 0), ${which}) as packets`;
const GROUP = `${sums()}, uniqExact(f.conversation_id) as conversations`;
/** Flows of conversations that the other end opened. */
const OPENED_BY_PEER = 'countIf(f.inbound <> f.reply) as opened_by_peer';

/** Totals of a workload's flows, each once, with the largest peers and ports. */
export const sumInsights =
  (connection: Connection): FlowInsights['summary'] =>
  async (selection) => {
    const { visible } = selection;
    const me = uuid(selection.filter.workload_id);
    const isSource = ch`t.source_workload_id = ${me}`;
    const isDestination = ch`t.destination_workload_id = ${me}`;
    const cidr = (end: string) => cidrIfVisible(raw(`t.${end}_cidr`), raw(`t.${end}_workload_id`), selection);
    const workload = (end: string) => ifVisible(raw(`t.${end}_workload_id`), visible);
    const address = (end: string) => addressText(raw(`t.${end}_ip`));
    const rows = ch`(select t.conversation_id as conversation_id, t.decision as decision, t.bytes as bytes, t.packets as packets,
        t.protocol as protocol, ${SERVICE_PORT} as port, ${raw(PORT_REPLY)} as reply, ${isDestination} as inbound, ${isSource} as outbound,
        multiIf(${isSource}, ${address('destination')}, ${isDestination}, ${address('source')}, '') as peer_ip,
        if(${isSource}, ${cidr('destination')}, ${cidr('source')}) as peer_cidr,
        if(${isSource}, ${workload('destination')}, ${workload('source')}) as peer_id
      from ${insightRows(selection, await resolvePlaces(selection))} as t)`;
    const way = (name: 'inbound' | 'outbound') => raw(sums(`f.${name}`).replace(/ as (\w+)/g, ` as ${name}_$1`));
    const found = await connection.read<SummaryRow>(ch`
      select *, count() over (partition by part) as total from (
        select multiIf(grouping(f.decision) = 0, 'decision', grouping(f.peer_ip) = 0, 'peer', grouping(f.protocol) = 0, 'port', 'whole') as part,
          f.decision as decision, f.peer_ip as ip, f.peer_id as peer, f.protocol as protocol, f.port as port, max(f.peer_cidr) as cidr,
          ${raw(GROUP)}, ${way('inbound')}, ${way('outbound')}, ${raw(OPENED_BY_PEER)}
        from ${rows} as f group by grouping sets ((f.decision), (f.peer_ip, f.peer_id), (f.protocol, f.port), ()))
      where part <> 'peer' or ip <> ''
      order by part, bytes desc, flows desc, ip, peer, protocol, port, decision limit ${number(TOP)} by part
      settings force_grouping_standard_compatibility = 1`);
    const [decisions, peers, ports, [whole]] = (['decision', 'peer', 'port', 'whole'] as const).map((part) =>
      found.filter((row) => row.part === part),
    ) as [SummaryRow[], SummaryRow[], SummaryRow[], SummaryRow[]];
    const nameOf = nameWorkloads(await findNames({ workloads: peers.map(({ peer }) => peer) }), selection.periods);
    const direction = (name: 'inbound' | 'outbound') => ({
      flows: whole?.[`${name}_flows`] ?? 0,
      bytes: whole?.[`${name}_bytes`] ?? 0,
      packets: whole?.[`${name}_packets`] ?? 0,
    });
    const counts = ({ flows, conversations, bytes, packets }: Sums) => ({ flows, conversations, bytes, packets });
    return {
      ...counts(whole ?? { flows: 0, conversations: 0, bytes: 0, packets: 0 }),
      ...{ inbound: direction('inbound'), outbound: direction('outbound') },
      by_decision: decisions
        .map((row) => ({ decision: row.decision, ...counts(row) }))
        .sort((a, b) => (a.decision < b.decision ? -1 : 1)),
      peers_total: peers[0]?.total ?? 0,
      top_peers: peers.map((row): InsightsSummary['top_peers'][number] => {
        const { id, name } = nameOf(row.peer === NONE ? null : row.peer);
        return {
          ...{ ip: row.ip, label: formatFlowEnd(row.ip, row.cidr || null), workload_id: id, workload_name: name },
          ...{ ...counts(row), opened_by_peer: row.opened_by_peer },
        };
      }),
      ports_total: ports[0]?.total ?? 0,
      top_ports: ports.map((row) => ({
        ...{ protocol: row.protocol, port: row.port, ...counts(row), opened_by_peer: row.opened_by_peer },
      })),
    };
  };
