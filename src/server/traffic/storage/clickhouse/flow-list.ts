import type { Flow } from '@/domain/flow/flow';
import { formatFlowEnd, toVisibleCidr } from '@/domain/flow/flow-end';
import type { FlowReach, FlowSelection } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { addressText } from './conditions';
import type { Connection } from './connection';
import { flowConditions } from './flow-conditions';
import { buildOrder, type IdColumns, readPage, type SortColumn } from './keyset';
import { findNames, nameWorkloads, resolvePlaces } from './names';
import { ch, join, NONE, number, type Part, raw, text, time, uuid } from './statement';
import { cidrIfVisible, flowRows, getFlowKey, ifVisible, toRange } from './visible-rows';

const column = (name: string): Part => raw(`t.${name}`);

export const FLOW_SORTS: Readonly<Record<string, SortColumn>> = {
  observed_at: { column: column('observed_at'), type: 'time' },
  first_seen_at: { column: column('first_seen_at'), type: 'time' },
  source_ip: { column: column('source_ip'), type: 'address' },
  destination_ip: { column: column('destination_ip'), type: 'address' },
  protocol: { column: column('protocol'), type: 'text' },
  destination_port: { column: column('destination_port'), type: 'number', nullable: true },
  decision: { column: column('decision'), type: 'text' },
  bytes: { column: column('bytes'), type: 'number', nullable: true },
  packets: { column: column('packets'), type: 'number', nullable: true },
};

/** An id of a flow: node, conversation, direction, decision. */
export const FLOW_ID: IdColumns = {
  columns: ['node_id', 'conversation_id', 'forward', 'decision'].map(column),
  parse: (id) => {
    const [node = '', conversation = '', direction, decision = ''] = id.split('.');
    return [uuid(node), uuid(conversation), raw(direction === 'to' ? 'true' : 'false'), text(decision)];
  },
};

/** A flow as it is read, before its names are known. */
export type FlowRow = Omit<
  Flow,
  | 'source_label'
  | 'destination_label'
  | 'source_workload_name'
  | 'destination_workload_name'
  | 'node_name'
  | 'cluster_name'
> & { conversation_id: string; forward: boolean };

/** What an interface shows of its guest is for those who may see the guest. */
const OBSERVER = ['interface', 'vmid', 'nic', 'vlan', 'raw'];
const PLAIN = [
  ...['conversation_id', 'forward', 'cluster_id', 'node_id', 'protocol', 'source_port', 'destination_port', 'decision'],
  ...['state', 'collector', 'initiator', 'icmp_type', 'icmp_code', 'bytes', 'packets'],
  ...['first_seen_at', 'observed_at', 'updated_at'],
];

/** What is read of flows under the alias `t`. */
export function selectFlowColumns(reach: FlowReach): Part {
  const { visible } = reach;
  const cidr = (end: 'source' | 'destination') =>
    ch`${cidrIfVisible(column(`${end}_cidr`), column(`${end}_workload_id`), reach)} as ${raw(end)}_cidr`;
  const observer = ifVisible(column('workload_id'), visible);
  return join(
    [
      ...PLAIN.map((name) => raw(`t.${name} as ${name}`)),
      ...(['source', 'destination'] as const).flatMap((end) => [
        cidr(end),
        ch`${addressText(column(`${end}_ip`))} as ${raw(end)}_ip`,
        ch`${ifVisible(column(`${end}_workload_id`), visible)} as ${raw(end)}_workload_id`,
      ]),
      ch`${observer} as workload_id`,
      ...OBSERVER.map((name) =>
        visible === 'all'
          ? raw(`t.${name} as ${name}`)
          : ch`if(${observer} = ${uuid(NONE)}, null, t.${raw(name)}) as ${raw(name)}`,
      ),
    ],
    ', ',
  );
}

/** `2026-01-31 12:00:00.500` as RFC 3339. */
export const toIso = (stored: string): string => `${stored.slice(0, 10)}T${stored.slice(11)}Z`;

export const toFlowId = (row: Pick<FlowRow, 'node_id' | 'conversation_id' | 'forward' | 'decision'>): string =>
  `${row.node_id}.${row.conversation_id}.${row.forward ? 'to' : 'from'}.${row.decision}`;

/** Adds ids, names and labels. */
export async function toFlows(rows: readonly FlowRow[], reach: FlowReach): Promise<Flow[]> {
  const names = await findNames({
    nodes: rows.map(({ node_id }) => node_id),
    clusters: rows.map(({ cluster_id }) => cluster_id),
    workloads: rows.flatMap((row) => [row.workload_id, row.source_workload_id, row.destination_workload_id]),
  });
  const nameOf = nameWorkloads(names, reach.periods);
  return rows.map(({ conversation_id, forward, ...row }): Flow => {
    const [source, destination] = [nameOf(row.source_workload_id), nameOf(row.destination_workload_id)];
    const [source_cidr, destination_cidr] = [row.source_cidr || null, row.destination_cidr || null];
    return {
      ...row,
      id: toFlowId({ ...row, conversation_id, forward }),
      ...{ first_seen_at: toIso(row.first_seen_at), observed_at: toIso(row.observed_at) },
      ...{ updated_at: toIso(row.updated_at), raw: row.raw && JSON.parse(String(row.raw)) },
      workload_id: nameOf(row.workload_id).id,
      ...{ source_workload_id: source.id, source_workload_name: source.name },
      ...{ destination_workload_id: destination.id, destination_workload_name: destination.name },
      ...{ source_cidr: toVisibleCidr(source_cidr), destination_cidr: toVisibleCidr(destination_cidr) },
      source_label: formatFlowEnd(row.source_ip, source_cidr),
      destination_label: formatFlowEnd(row.destination_ip, destination_cidr),
      ...{ node_name: names.nodes.get(row.node_id) ?? null, cluster_name: names.clusters.get(row.cluster_id) ?? null },
    } as Flow;
  });
}

/** The first rows of some that are flows: first which these are, by few columns, then all that is shown of them. */
export async function readFlows(
  connection: Connection,
  reach: FlowReach,
  rows: Part,
  { order, limit }: { order: Part; limit: number },
): Promise<Flow[]> {
  const keys = ch`select ${getFlowKey('t')} from ${rows} order by ${order} limit ${number(limit)}`;
  const found = await connection.read<FlowRow>(
    ch`select ${selectFlowColumns(reach)} from ${flowRows({ keys }, reach.periods)} as t order by ${order}`,
  );
  return toFlows(found, reach);
}

const selectMatching = async (selection: FlowSelection): Promise<{ rows: Part; where: Part }> => ({
  rows: flowRows(toRange(selection), selection.periods),
  where: flowConditions(selection, await resolvePlaces(selection)),
});

export const countRows = (connection: Connection, rows: Part): Promise<number> =>
  connection.read<{ total: number }>(ch`select count() as total from ${rows}`).then(([row]) => row?.total ?? 0);

const LIST = { sorts: FLOW_SORTS, sort: '-observed_at', id: FLOW_ID };

/** Flows page by page. */
export const listFlows =
  (connection: Connection): FlowStore['list'] =>
  async (selection, input) => {
    const { rows, where } = await selectMatching(selection);
    return readPage<Flow>(input, LIST, ({ after, ...paging }) => ({
      rows: readFlows(
        connection,
        selection,
        ch`${rows} as t where ${where}${after ? ch` and ${after}` : ch``}`,
        paging,
      ),
      total: countRows(connection, ch`${rows} as t where ${where}`),
    }));
  };

/** All flows in their order, by one statement: it reads what there is when it begins. */
export const streamFlows = (connection: Connection): FlowStore['stream'] =>
  async function* (selection, input) {
    const { order, after } = buildOrder(input, LIST);
    const { rows, where } = await selectMatching(selection);
    for await (const found of connection.stream<FlowRow>(
      ch`select ${selectFlowColumns(selection)} from ${rows} as t where ${where}${after ? ch` and ${after}` : ch``} order by ${order}`,
    ))
      yield await toFlows(found, selection);
  };

/** The newest flows that were stored since `after`. */
export const findFlowsStoredSince =
  (connection: Connection): FlowStore['tail'] =>
  async (selection, after, limit) => {
    const { rows, where } = await selectMatching(selection);
    const order = raw('t.observed_at desc, t.node_id desc, t.conversation_id desc, t.forward desc, t.decision desc');
    return readFlows(connection, selection, ch`${rows} as t where ${where} and t.updated_at >= ${time(after)}`, {
      order,
      limit,
    });
  };
