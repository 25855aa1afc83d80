import { MAX_CONVERSATIONS_COUNTED } from '@/domain/flow/conversation';
import { toVisibleCidr } from '@/domain/flow/flow-end';
import type { ConversationRow, ConversationRowEnd } from '../flow-rows';
import type { ConversationSelection, FlowReach } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { addressText } from './conditions';
import type { Connection } from './connection';
import { conversationConditions, DURATION_MS, isEnded } from './conversation-conditions';
import { conversationRows } from './conversation-rows';
import { countRows, toIso } from './flow-list';
import { buildOrder, type IdColumns, readPage, type SortColumn } from './keyset';
import { findNames, nameWorkloads, resolvePlaces } from './names';
import { ch, join, NONE, number, type Part, raw, uuid } from './statement';
import { cidrIfVisible, ifVisible, toRange } from './visible-rows';

const column = (name: string): Part => raw(`t.${name}`);

const SORTS: Readonly<Record<string, SortColumn>> = {
  last_seen_at: { column: column('last_seen_at'), type: 'time' },
  bytes: { column: column('bytes'), type: 'number', nullable: true },
  duration_ms: { column: raw(`(${DURATION_MS})`), type: 'number' },
};

const ID: IdColumns = { columns: [column('id')], parse: (id) => [uuid(id)] };
const LIST = { sorts: SORTS, sort: '-last_seen_at', id: ID };

const PLAIN = [
  ...[
    'id',
    'cluster_id',
    'protocol',
    'service_port',
    'icmp_type',
    'icmp_code',
    'action',
    'decision',
    'is_client_known',
  ],
  ...['bytes', 'packets', 'client_bytes', 'client_packets', 'server_bytes', 'server_packets', 'node_ids'],
  ...['first_seen_at', 'last_seen_at'],
];

const WHO = ['client', 'server'] as const;
type End = { ip: string; port: number | null; workload_id: string; cidr: string };
/** A conversation as it is read, before its names are known. */
export type ReadConversation = Omit<ConversationRow, 'client' | 'server' | 'nodes' | 'cluster_name'> & {
  node_ids: string[];
} & { [Key in `${(typeof WHO)[number]}_${keyof End}`]: Key extends `${string}_port` ? number | null : string };

/** What is read of conversations under the alias `t`. */
export function selectConversationColumns(reach: FlowReach, now: string): Part {
  const { visible } = reach;
  const observer = ifVisible(column('workload_id'), visible);
  return join(
    [
      ...PLAIN.map((name) => raw(`t.${name} as ${name}`)),
      raw(`${DURATION_MS} as duration_ms`),
      ch`${isEnded(now)} as is_ended`,
      ch`${observer} as workload_id`,
      ch`if(${observer} = ${uuid(NONE)}, null, t.nic) as nic`,
      ...WHO.flatMap((who) => [
        ch`${addressText(column(`${who}_ip`))} as ${raw(who)}_ip`,
        raw(`t.${who}_port as ${who}_port`),
        ch`${ifVisible(column(`${who}_workload_id`), visible)} as ${raw(who)}_workload_id`,
        ch`${cidrIfVisible(column(`${who}_cidr`), column(`${who}_workload_id`), reach)} as ${raw(who)}_cidr`,
      ]),
    ],
    ', ',
  );
}

const byName = (a: { id: string; name: string | null }, b: { id: string; name: string | null }) =>
  (a.name ?? '\uffff').localeCompare(b.name ?? '\uffff') || (a.id < b.id ? -1 : 1);

export async function toConversationRows(
  rows: readonly ReadConversation[],
  reach: FlowReach,
): Promise<ConversationRow[]> {
  const names = await findNames({
    nodes: rows.flatMap(({ node_ids }) => node_ids),
    clusters: rows.map(({ cluster_id }) => cluster_id),
    workloads: rows.flatMap((row) => [row.client_workload_id, row.server_workload_id]),
  });
  const nameOf = nameWorkloads(names, reach.periods);
  return rows.map((row): ConversationRow => {
    const end = (who: (typeof WHO)[number]): ConversationRowEnd => {
      const { id, name } = nameOf(row[`${who}_workload_id`]);
      const cidr = row[`${who}_cidr`] || null;
      return {
        ...{ ip: row[`${who}_ip`], port: row[`${who}_port`], workload_id: id, workload_name: name },
        ...{ is_external: cidr === null, cidr: toVisibleCidr(cidr) },
      };
    };
    const { node_ids, ...rest } = row;
    const shown = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !/^(client|server)_(ip|port|workload_id|cidr)$/.test(name)),
    ) as Omit<ConversationRow, 'client' | 'server' | 'nodes' | 'cluster_name'>;
    return {
      ...shown,
      ...{ first_seen_at: toIso(row.first_seen_at), last_seen_at: toIso(row.last_seen_at) },
      workload_id: row.workload_id === NONE ? null : row.workload_id,
      ...{ client: end('client'), server: end('server'), cluster_name: names.clusters.get(row.cluster_id) ?? null },
      nodes: node_ids.map((id) => ({ id, name: names.nodes.get(id) ?? null })).sort(byName),
    } as ConversationRow;
  });
}

/** A conversation can turn out to be a part of another one between two statements. */
const MOST_TRIES = 3;

/** The first of some conversations: first which these are, by few columns, then all that is shown of them. */
async function readFirst(
  connection: Connection,
  selection: ConversationSelection,
  rows: Part,
  { order, limit }: { order: Part; limit: number },
): Promise<ConversationRow[]> {
  for (let tries = 1; ; tries++) {
    const ids = await connection.read<{ id: string }>(
      ch`select t.id as id from ${rows} order by ${order} limit ${number(limit)}`,
    );
    if (ids.length === 0) return [];
    const chosen = conversationRows({ ids: ids.map(({ id }) => id) }, selection.periods);
    const found = await connection.read<ReadConversation>(
      ch`select ${selectConversationColumns(selection, selection.now)} from ${chosen} as t`,
    );
    const place = new Map(ids.map(({ id }, i) => [id, i]));
    found.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
    if (found.length === ids.length || tries === MOST_TRIES) return toConversationRows(found, selection);
  }
}

const selectMatching = async (selection: ConversationSelection): Promise<Part> =>
  ch`${conversationRows(toRange(selection), selection.periods)} as t
    where ${conversationConditions(selection, await resolvePlaces(selection))}`;

/** Conversations page by page; at most `MAX_CONVERSATIONS_COUNTED` are counted. */
export const listConversations =
  (connection: Connection): FlowStore['conversations']['list'] =>
  async (selection, input) => {
    const rows = await selectMatching(selection);
    return readPage<ConversationRow>(input, LIST, ({ after, order, limit }) => ({
      rows: readFirst(connection, selection, after ? ch`${rows} and ${after}` : rows, { order, limit }),
      total: countRows(connection, ch`(select 1 from ${rows} limit ${number(MAX_CONVERSATIONS_COUNTED + 1)})`),
    }));
  };

/** All conversations in their order, by one statement. */
export const streamConversations = (connection: Connection): FlowStore['conversations']['stream'] =>
  async function* (selection, input) {
    const { order, after } = buildOrder(input, LIST);
    const rows = await selectMatching(selection);
    for await (const found of connection.stream<ReadConversation>(
      ch`select ${selectConversationColumns(selection, selection.now)} from ${rows}${after ? ch` and ${after}` : ch``} order by ${order}`,
    ))
      yield await toConversationRows(found, selection);
  };
