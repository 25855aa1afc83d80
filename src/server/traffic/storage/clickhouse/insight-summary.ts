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
type Opened = Sums & { opened_by_peer: number; total: number };

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
    const [decisions, peers, ports] = await Promise.all([
      connection.read<Sums & { decision: string; is_total: number } & Record<string, number>>(ch`
        select f.decision as decision, grouping(f.decision) as is_total, ${raw(GROUP)}, ${way('inbound')}, ${way('outbound')}
        from ${rows} as f group by grouping sets ((f.decision), ()) order by decision
        settings force_grouping_standard_compatibility = 1`),
      connection.read<Opened & { ip: string; peer: string; cidr: string }>(ch`
        select f.peer_ip as ip, f.peer_id as peer, max(f.peer_cidr) as cidr, ${raw(GROUP)}, ${raw(OPENED_BY_PEER)}, count() over () as total
        from ${rows} as f where f.peer_ip <> '' group by f.peer_ip, f.peer_id
        order by bytes desc, flows desc, ip, peer limit ${number(TOP)}`),
      connection.read<Opened & { protocol: string; port: number | null }>(ch`
        select f.protocol as protocol, f.port as port, ${raw(GROUP)}, ${raw(OPENED_BY_PEER)}, count() over () as total
        from ${rows} as f group by f.protocol, f.port order by bytes desc, flows desc, protocol, port limit ${number(TOP)}`),
    ]);
    const nameOf = nameWorkloads(await findNames({ workloads: peers.map(({ peer }) => peer) }), selection.periods);
    const whole = decisions.find(({ is_total }) => is_total === 1);
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
        .filter(({ is_total }) => is_total === 0)
        .map((row) => ({ decision: row.decision, ...counts(row) })),
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
