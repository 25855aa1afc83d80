import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { ObservedConversation } from '@/domain/impact/replay';
import type { ReplaySelection } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { addressText, isIpv4 } from './conditions';
import type { Connection } from './connection';
import { conversationSide } from './conversations';
import { flowsCountedOnce } from './counted-once';
import { flowConditions } from './flow-conditions';
import { OPEN, REPLY, SERVICE_PORT } from './flow-direction';
import { toIso } from './flow-list';
import { countedRollups } from './rollup-conditions';
import { any, ch, inIds, NONE, type Part, raw } from './statement';
import { cidrIfVisible, flowRows, ifVisible, toRange } from './visible-rows';

/** Replaces all ports that systems give to callers. */
const CALLER_PORT = 49_152;
const NO_PLACES = { searched: { nodes: [], clusters: [] }, named: new Map() };

const NAMES = [
  ...['source_workload_id', 'destination_workload_id', 'source_address', 'destination_address', 'source_prefix'],
  ...['destination_prefix', 'source_internal', 'destination_internal', 'protocol', 'source_port', 'destination_port'],
  ...['initiator', 'reply', 'service_port', 'icmp_type', 'icmp_code', 'workload_id', 'nic'],
];

type Ends = 'source' | 'destination';
/** The client's or the server's side of a row. */
const side = (end: 'client' | 'server', column: string) => {
  const [plain, turned] = end === 'client' ? ['source', 'destination'] : ['destination', 'source'];
  return `if(g.reply, g.${turned}_${column}, g.${plain}_${column})`;
};

/** Sums up rows that no rule distinguishes; what is one conversation to people comes one after the other. */
function summedUp(rows: Part): Part {
  const keys = NAMES.map((name) => `g.${name}`).join(', ');
  const order = [
    `position(g.source_prefix, ':') > 0`,
    ...(['client', 'server'] as const).flatMap((end) => [
      side(end, 'workload_id'),
      `if(${side(end, 'workload_id')} = toUUID('${NONE}'), ${side(end, 'prefix')}, '')`,
    ]),
    ...['g.protocol', 'g.service_port'],
  ];
  return ch`select ${raw(NAMES.map((name) => `g.${name} as ${name}`).join(', '))}, sum(g.bytes) as bytes, sum(g.packets) as packets,
      sum(g.flows) as flows, max(g.seen_at) as last_seen_at
    from (${rows}) as g group by ${raw(keys)} order by ${raw(order.join(', '))}`;
}

/** A subnet that the reader may not see is every address: then the network around the address is used. */
const getPrefix = (end: Ends, cidr: Part): Part => {
  const address = raw(`t.${end}_ip`);
  const range = ch`tupleElement(IPv6CIDRToRange(${address}, if(${isIpv4(address)}, 120, 48)), 1)`;
  return ch`if(${cidr} not in ('', '0.0.0.0/0', '::/0'), ${cidr},
    concat(${addressText(range)}, if(${isIpv4(address)}, '/24', '/48')))`;
};

function selectFlows(selection: ReplaySelection, at: Part, about: readonly string[]): Part {
  const { visible } = selection;
  const all = { ...selection, visible: 'all' as const, filter: {}, named: [] };
  const counted = flowsCountedOnce(ch`select t.* from ${flowRows({ ...toRange(all), about }, selection.periods)} as t
    where ${flowConditions(all, NO_PLACES)} and ${at}`);
  const cidr = (end: Ends) => cidrIfVisible(raw(`t.${end}_cidr`), raw(`t.${end}_workload_id`), selection);
  const workload = (column: string) => ifVisible(raw(`t.${column}`), visible);
  const port = (end: Ends, isCaller: string) =>
    selection.exact_callers
      ? raw(`t.${end}_port`)
      : raw(
          `if(ifNull(t.${end}_port >= ${EPHEMERAL_FROM}, false) and t.initiated and ${isCaller}, ${CALLER_PORT}, t.${end}_port)`,
        );
  return ch`
    select ${workload('source_workload_id')} as source_workload_id, ${workload('destination_workload_id')} as destination_workload_id,
      ${addressText(raw('t.source_ip'))} as source_address, ${addressText(raw('t.destination_ip'))} as destination_address,
      ${getPrefix('source', cidr('source'))} as source_prefix, ${getPrefix('destination', cidr('destination'))} as destination_prefix,
      toBool(${cidr('source')} <> '') as source_internal, toBool(${cidr('destination')} <> '') as destination_internal, t.protocol as protocol,
      ${port('source', 'not t.reply')} as source_port, ${port('destination', 't.reply')} as destination_port,
      multiIf(not t.initiated, null, t.reply, 'destination', 'source') as initiator, toBool(t.reply) as reply,
      t.service_port as service_port, t.icmp_type as icmp_type, t.icmp_code as icmp_code, ${workload('workload_id')} as workload_id,
      if(${workload('workload_id')} = toUUID('${raw(NONE)}'), null, t.nic) as nic, ifNull(t.bytes, 0) as bytes, ifNull(t.packets, 0) as packets,
      toInt64(1) as flows, t.observed_at as seen_at
    from (select t.*, ${raw(REPLY)} as reply, ${SERVICE_PORT} as service_port,
        isNotNull(t.initiator) or (isNotNull(t.destination_port) and not ${raw(OPEN)}) as initiated
      from (${counted}) as t where t.counted) as t`;
}

async function selectHours(selection: ReplaySelection, at: Part): Promise<Part> {
  const rollups = await countedRollups({ ...selection, visible: selection.at, filter: {}, named: [] }, 'hours');
  const ports = `t.protocol in ('tcp', 'udp', 'sctp', 'dccp', 'udplite')`;
  return ch`
    select ${conversationSide('caller', selection)}, ${conversationSide('service', selection)}, null as source_address,
      null as destination_address, t.protocol as protocol, null as source_port, t.service_port as destination_port,
      if(isNull(t.service_port) and ${raw(ports)}, null, 'source') as initiator, false as reply, t.service_port as service_port,
      null as icmp_type, null as icmp_code, toUUID('${raw(NONE)}') as workload_id, null as nic, t.bytes as bytes, t.packets as packets,
      t.flows as flows, toDateTime64(t.bucket_at, 3, 'UTC') as seen_at
    from (${rollups}) as t where t.counted and ${at}`;
}

type Row = Omit<ObservedConversation, 'source_ip' | 'destination_ip' | 'workload_id'> & {
  source_address: string | null;
  destination_address: string | null;
  workload_id: string;
};

const orNull = (id: string | null): string | null => (id === NONE ? null : id);

const toConversation = ({ source_address, destination_address, ...row }: Row): ObservedConversation =>
  ({
    ...row,
    ...{ source_ip: source_address, destination_ip: destination_address, workload_id: orNull(row.workload_id) },
    source_workload_id: orNull(row.source_workload_id),
    destination_workload_id: orNull(row.destination_workload_id),
    last_seen_at: toIso(row.last_seen_at),
  }) as ObservedConversation;

/** Conversations that are handed over together, and workloads of one query. */
const PART = 500;
const WORKLOADS = 64;

/** Conversations with one of some workloads at an end, a part of the workloads at a time. */
export const streamReplay = (connection: Connection): FlowStore['replay'] =>
  async function* (selection, source) {
    const { at, periods } = selection;
    // Of totals, and of workloads that moved, the range is read as a whole however many are meant.
    const size = source === 'hours' || periods.length > 0 ? Math.max(at.length, 1) : WORKLOADS;
    const isOne = (ids: readonly string[]) =>
      any([raw('t.source_workload_id'), raw('t.destination_workload_id')].map((end) => inIds(end, ids)));
    for (let done = 0; done < at.length; done += size) {
      const [these, those] = [at.slice(done, done + size), at.slice(0, done)];
      const where = those.length === 0 ? isOne(these) : ch`${isOne(these)} and not ${isOne(those)}`;
      const rows = source === 'flows' ? selectFlows(selection, where, these) : await selectHours(selection, where);
      for await (const found of connection.stream<Row>(summedUp(rows))) {
        for (let from = 0; from < found.length; from += PART) {
          yield { conversations: found.slice(from, from + PART).map(toConversation), done };
        }
      }
    }
  };
