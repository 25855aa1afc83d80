import type { CountedSource } from '@/domain/flow/flow-sums';
import { type Conversation, tabulate } from '@/domain/topology/conversation-table';
import { type ConversationFilter, type GroupConversation, MAX_CONVERSATIONS } from '../flow-rows';
import type { BoundedSelection, FlowReach } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { addressText, isIpv4, isNone } from './conditions';
import type { Connection } from './connection';
import { selectSingleRows } from './flow-conditions';
import { IS_ANSWERED, PORT_REPLY, SERVICE_PORT } from './flow-direction';
import { getGroupKeys, groupId, listKeyNames } from './flow-groups';
import { resolvePlaces } from './names';
import { countedRollups, reportedRollups } from './rollup-conditions';
import { all, any, ch, idArray, inIds, join, NONE, number, type Part, raw, texts } from './statement';
import { cidrIfVisible, ifVisible } from './visible-rows';

const SAME = ['node_id', 'source_workload_id', 'destination_workload_id', 'source_cidr', 'destination_cidr'];
const FLOW = [
  ...['source_ip', 'destination_ip', 'protocol', 'source_port', 'destination_port', 'initiator', 'decision'],
  ...['bytes', 'packets'],
];

/** Reports with their conversations; of single flows the addresses are known, and whether replies were seen. */
async function selectReports(selection: BoundedSelection, source: CountedSource, isByNode: boolean): Promise<Part> {
  if (source !== 'flows')
    return ch`select t.*, toBool(false) as answered from (${reportedRollups(selection, source)}) as t`;
  const prefix = (end: string) =>
    ch`concat(${addressText(raw(`t.${end}_ip`))}, if(${isIpv4(raw(`t.${end}_ip`))}, '/32', '/128')) as ${raw(end)}_prefix,
      toBool(t.${raw(end)}_cidr <> '') as ${raw(end)}_internal`;
  const columns = ch`${raw([...SAME, ...FLOW].map((name) => `t.${name} as ${name}`).join(', '))}, ${prefix('source')}, ${prefix('destination')},
    ${SERVICE_PORT} as service_port, ${raw(PORT_REPLY)} as reply, toBool(${raw(IS_ANSWERED)}) as answered, toInt64(1) as flows`;
  return selectSingleRows(selection, await resolvePlaces(selection), columns, isByNode);
}

function sideColumn(end: 'caller' | 'service', name: string): Part {
  const [plain, turned] = end === 'caller' ? ['source', 'destination'] : ['destination', 'source'];
  return raw(`if(t.reply, t.${turned}_${name}, t.${plain}_${name})`);
}

/**
 * The caller's or the service's side of a sum: an answer is counted to the conversation that it answers. A workload that may
 * not be seen is none, and a subnet that may not be seen is every address.
 */
export function conversationSide(end: 'caller' | 'service', reach: FlowReach): Part {
  const plain = raw(end === 'caller' ? 'source' : 'destination');
  const column = (name: string) => sideColumn(end, name);
  const [workload, prefix, internal] = [column('workload_id'), column('prefix'), column('internal')];
  return ch`${ifVisible(workload, reach.visible)} as ${plain}_workload_id,
    if(${internal}, ${cidrIfVisible(prefix, workload, reach)}, ${prefix}) as ${plain}_prefix,
    ${internal} as ${plain}_internal`;
}

const IDENTITY = [
  ...['workload_id', 'prefix', 'internal'].flatMap((name) => [`source_${name}`, `destination_${name}`]),
  ...['protocol', 'port', 'decision'],
];
const listColumns = (alias: string, names: readonly string[]) => names.map((name) => `${alias}.${name}`).join(', ');
const selectColumns = (alias: string, names: readonly string[]) =>
  raw(names.map((name) => `${alias}.${name} as ${name}`).join(', '));

/** No workload is null to those who ask. */
const shown = <T extends Conversation>(row: T): T => ({
  ...row,
  source_workload_id: row.source_workload_id === NONE ? null : row.source_workload_id,
  destination_workload_id: row.destination_workload_id === NONE ? null : row.destination_workload_id,
});

/**
 * The conversations that some groups of `listFlowGroups` are made of, the heaviest of each. What is evaluated does not depend on
 * how often it is reported, so every report counts.
 */
export const listGroupConversations =
  (connection: Connection): FlowStore['groupConversations'] =>
  async (selection, source, grouping, { ids, most }) => {
    if (ids.length === 0) return [];
    // Any user who may see the flow sees the address of an end, but not its subnet.
    const reach = source === 'flows' ? { ...selection, prefixes: 'all' as const } : selection;
    const keys = getGroupKeys(grouping, source, selection);
    const names = listKeyNames(keys);
    const identity = [...IDENTITY, 'answered'];
    const groupKeys = join(
      names.map((name) => ch`${keys[name] as Part} as ${raw(`key_${name}`)}`),
      ', ',
    );
    const all = [...names.map((name) => `key_${name}`), ...identity];
    const rows = await connection.read<GroupConversation>(ch`
      select g.group_id as group_id, g.total as total, ${selectColumns('g', identity)}, ifNull(g.bytes, 0) as bytes, ifNull(g.packets, 0) as packets,
        g.flows as flows, '' as last_seen_at
      from (
        select r.*, ${groupId(names, (name) => `r.key_${name}`)} as group_id, toInt32(count() over (partition by group_id)) as total
        from (
          select ${selectColumns('c', all)}, sum(c.bytes) as bytes, sum(c.packets) as packets, sum(c.flows) as flows
          from (
            select ${groupKeys}, ${conversationSide('caller', reach)}, ${conversationSide('service', reach)}, t.protocol as protocol,
              t.service_port as port, t.decision as decision, t.answered as answered, t.bytes as bytes, t.packets as packets, t.flows as flows
            from (${await selectReports(selection, source, grouping === 'node')}) as t) as c
          group by ${raw(listColumns('c', all))}) as r
        where has(${texts(ids)}, group_id)) as g
      order by g.group_id, g.bytes desc nulls last, ${raw(listColumns('g', identity))}
      limit ${number(most)} by g.group_id`);
    return rows.map(shown);
  };

function narrowed({ hosts = false, at, from_outside = false }: ConversationFilter): Part {
  const [source, destination] = [raw('t.source_workload_id'), raw('t.destination_workload_id')];
  return all([
    ...(hosts ? [] : [ch`not (${isNone(source)} and ${isNone(destination)})`]),
    ...(at ? [any([inIds(source, at), inIds(destination, at)])] : []),
    ...(from_outside ? [ch`${isNone(source)} and not t.source_internal and not ${isNone(destination)}`] : []),
  ]);
}

/**
 * Traffic of the range from minute or hour rollups: who opened conversations with whom, by service and verdict, the
 * heaviest. Each counts once, however many nodes reported it.
 */
export const listEdges =
  (connection: Connection): FlowStore['edges'] =>
  async (selection, source, filter = {}) => {
    const most = filter.most ?? MAX_CONVERSATIONS;
    const rows = await connection.read<Omit<Conversation, 'last_seen_at'> & { last_seen_s: number }>(ch`
      select ${selectColumns('t', IDENTITY)}, sum(t.bytes) as bytes, sum(t.packets) as packets, sum(t.flows) as flows,
        toUnixTimestamp(max(t.bucket_at)) as last_seen_s
      from (
        select ${conversationSide('caller', selection)}, ${conversationSide('service', selection)}, t.protocol as protocol,
          t.service_port as port, t.decision as decision, t.bytes as bytes, t.packets as packets, t.flows as flows, t.bucket_at as bucket_at
        from (${await countedRollups(selection, source)}) as t where t.counted) as t
      where ${narrowed(filter)} group by ${raw(listColumns('t', IDENTITY))}
      order by bytes desc, ${raw(listColumns('t', IDENTITY))} limit ${number(most + 1)}`);
    const conversations = rows
      .slice(0, most)
      .map(({ last_seen_s, ...row }) => shown({ ...row, last_seen_at: new Date(last_seen_s * 1000).toISOString() }));
    return { table: tabulate(conversations), complete: rows.length <= most };
  };

/** Workloads that are in no group, and yet not outside; and what is outside. */
const IN_NONE = -1;
const OUTSIDE = 0;

/** What passed between groups of workloads. Each report counts once, however many nodes reported it. */
export const listGroupTraffic =
  (connection: Connection): FlowStore['between'] =>
  async (selection, source, { groups, protocols, port, at }) => {
    const members = [...groups].flatMap(([id, list]) =>
      (list.length === 0 ? [IN_NONE] : list.map((number) => number + 1)).map((number) => ({ id, number })),
    );
    const member = ch`(select pair.1 as workload_id, pair.2 as number from (
      select arrayJoin(arrayZip(cast(${idArray(members.map(({ id }) => id))}, 'Array(UUID)'),
        cast([${join(
          members.map(({ number: of }) => number(of)),
          ', ',
        )}], 'Array(Int32)'))) as pair))`;
    const { visible } = selection;
    const rows = await connection.read<{
      from_number: number;
      to_number: number;
      flows: number;
      last_seen_s: number;
    }>(ch`
      select ifNull(a.number, ${number(OUTSIDE)}) as from_number, ifNull(b.number, ${number(OUTSIDE)}) as to_number, sum(t.flows) as flows, toUnixTimestamp(max(t.bucket_at)) as last_seen_s
      from (
        select ${ifVisible(sideColumn('caller', 'workload_id'), visible)} as source_workload_id,
          ${ifVisible(sideColumn('service', 'workload_id'), visible)} as destination_workload_id, t.flows as flows, t.bucket_at as bucket_at
        from (${await countedRollups(selection, source)}) as t
        where ${all([
          ch`t.counted and t.decision not in ('drop', 'reject')`,
          ...(protocols === null ? [] : [ch`has(${texts(protocols)}, t.protocol)`]),
          ...(port === undefined ? [] : [ch`t.service_port = ${number(port)}`]),
        ])}) as t
      left join ${member} as a on a.workload_id = t.source_workload_id
      left join ${member} as b on b.workload_id = t.destination_workload_id
      where ${all([ch`from_number <> ${number(IN_NONE)}`, ch`to_number <> ${number(IN_NONE)}`, narrowed({ hosts: true, at })])}
      group by from_number, to_number order by from_number, to_number`);
    const toGroup = (of: number) => (of === OUTSIDE ? null : of - 1);
    return rows.map(({ from_number, to_number, flows, last_seen_s }) => ({
      from: toGroup(from_number),
      to: toGroup(to_number),
      flows,
      last_seen_at: new Date(last_seen_s * 1000).toISOString(),
    }));
  };
