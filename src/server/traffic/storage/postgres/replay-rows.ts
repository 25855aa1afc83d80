import { type SQL, sql } from 'drizzle-orm';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { ObservedConversation } from '@/domain/impact/replay';
import { readSnapshot, type Streams } from '../../../db/stream-rows';
import { toAsyncGenerator } from '../../../lib/to-async-generator';
import type { ReplaySelection } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { conversationSide } from './conversations';
import { flowsCountedOnce } from './counted-once';
import { flowConditions } from './flow-conditions';
import { OPEN, REPLY, SERVICE_PORT } from './flow-direction';
import { countedRollups } from './rollup-conditions';
import { cidrIfVisible, flowRows, ifVisible, inIdList } from './visible-rows';

const raw = (text: string): SQL => sql.raw(text);

/** Replaces all ports that systems give to callers. */
const CALLER_PORT = 49_152;

/** Columns of a row as the database sends it, in this order. */
const NAMES = [
  'source_workload_id',
  'destination_workload_id',
  'source_ip',
  'destination_ip',
  'source_prefix',
  'destination_prefix',
  'source_internal',
  'destination_internal',
  'protocol',
  'source_port',
  'destination_port',
  'initiator',
  'reply',
  'service_port',
  'icmp_type',
  'icmp_code',
  'workload_id',
  'nic',
] as const satisfies readonly (keyof ObservedConversation)[];

type Values = readonly unknown[];
type End = 'source' | 'destination';

const TIME = `to_char(seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** The client's or the server's side of a row. */
const side = (end: 'client' | 'server', column: string) => {
  const [plain, turned] = end === 'client' ? ['source', 'destination'] : ['destination', 'source'];
  return `case when reply then ${turned}_${column} else ${plain}_${column} end`;
};
const getWorkloadColumn = (end: 'client' | 'server') => side(end, 'workload_id');
const getNetworkColumn = (end: 'client' | 'server') =>
  `case when ${getWorkloadColumn(end)} is null then ${side(end, 'prefix')} end`;

/** Sums up rows that no rule distinguishes. @param keys names of columns */
const summedUp = (rows: SQL, keys: readonly string[]): SQL => sql`
  select ${raw(keys.join(', '))}, sum(bytes)::float8 as bytes, sum(packets)::float8 as packets, sum(flows)::float8 as flows,
    max(seen_at) as seen_at
  from (${rows}) as g group by ${raw(keys.map((_, at) => at + 1).join(', '))}`;

/** What is one conversation to people comes one after the other. */
const inOrder = (rows: SQL): SQL => sql`
  select ${raw(NAMES.join(', '))}, bytes, packets, flows, ${raw(TIME)} from (${rows}) as g
  order by ${raw(
    [
      `family(source_prefix)`,
      ...[
        getWorkloadColumn('client'),
        getNetworkColumn('client'),
        getWorkloadColumn('server'),
        getNetworkColumn('server'),
      ],
      ...['protocol', 'service_port'],
    ].join(', '),
  )}`;

/**
 * What single flows are summed up by: addresses and subnets as they are stored, which is compared faster than their text. What differs
 * most comes first: where the database sorts, it compares little else.
 */
const FLOW_KEYS = [
  ...[
    'destination_port',
    'source_port',
    'source_ip',
    'destination_ip',
    'source_workload_id',
    'destination_workload_id',
  ],
  ...['source_cidr', 'destination_cidr', 'protocol', 'initiator', 'reply', 'service_port', 'icmp_type', 'icmp_code'],
  ...['workload_id', 'nic'],
];

/** A subnet that the reader may not see is every address: then the network around the address is used. */
const getPrefixColumn = (end: End) => `coalesce(case when masklen(${end}_cidr) > 0 then ${end}_cidr end,
  network(set_masklen(${end}_ip, case family(${end}_ip) when 4 then 24 else 48 end)))`;

function selectedFlows(selection: ReplaySelection, at: SQL): SQL {
  const { visible } = selection;
  const counted = flowsCountedOnce(sql`select t.node_id, t.flow_key, t.cluster_id, t.source_ip, t.destination_ip,
      t.source_workload_id, t.destination_workload_id, t.source_cidr, t.destination_cidr, t.protocol, t.source_port,
      t.destination_port, t.initiator, t.icmp_type, t.icmp_code, t.workload_id, t.nic, t.bytes, t.packets, t.observed_at
    from ${flowRows(selection.periods)} as t where ${flowConditions({ ...selection, visible: 'all', filter: {}, named: [] })} and ${at}`);
  const cidr = (end: End) => cidrIfVisible(raw(`t.${end}_cidr`), raw(`t.${end}_workload_id`), selection);
  const workload = (column: string) => ifVisible(raw(`t.${column}`), visible);
  const port = (end: End, isCaller: string) =>
    selection.exact_callers
      ? raw(`t.${end}_port`)
      : raw(
          `case when t.${end}_port >= ${EPHEMERAL_FROM} and t.initiated and ${isCaller} then ${CALLER_PORT} else t.${end}_port end`,
        );
  // Without the offset the planner would evaluate who is the caller in each place where it is named.
  const rows = sql`
    select ${workload('source_workload_id')} as source_workload_id,
      ${workload('destination_workload_id')} as destination_workload_id, t.source_ip, t.destination_ip,
      ${cidr('source')} as source_cidr, ${cidr('destination')} as destination_cidr, t.protocol,
      ${port('source', 'not t.reply')} as source_port, ${port('destination', 't.reply')} as destination_port,
      case when not t.initiated then null when t.reply then 'destination' else 'source' end as initiator, t.reply,
      t.service_port, t.icmp_type, t.icmp_code, ${workload('workload_id')} as workload_id,
      case when ${workload('workload_id')} is not null then t.nic end as nic,
      coalesce(t.bytes, 0) as bytes, coalesce(t.packets, 0) as packets, 1 as flows, t.observed_at as seen_at
    from (select t.*, ${raw(REPLY)} as reply, ${SERVICE_PORT} as service_port,
        t.initiator is not null or (t.destination_port is not null and not ${raw(OPEN)}) as initiated
      from (${counted}) as t where t.counted offset 0) as t`;
  return sql`
    select source_workload_id, destination_workload_id, host(source_ip) as source_ip, host(destination_ip) as destination_ip,
      ${raw(getPrefixColumn('source'))} as source_prefix, ${raw(getPrefixColumn('destination'))} as destination_prefix,
      source_cidr is not null as source_internal, destination_cidr is not null as destination_internal, protocol, source_port,
      destination_port, initiator, reply, service_port, icmp_type, icmp_code, workload_id, nic, bytes, packets, flows, seen_at
    from (${summedUp(rows, FLOW_KEYS)}) as g`;
}

function selectedHours(selection: ReplaySelection, at: SQL): SQL {
  const rollups = countedRollups({ ...selection, visible: selection.at, filter: {}, named: [] }, 'hours');
  const ports = `t.protocol in ('tcp', 'udp', 'sctp', 'dccp', 'udplite')`;
  const rows = sql`
    select ${conversationSide('caller', selection)}, ${conversationSide('service', selection)}, null::text as source_ip,
      null::text as destination_ip, t.protocol, null::int as source_port, t.service_port as destination_port,
      case when t.service_port is null and ${raw(ports)} then null else 'source' end as initiator, false as reply,
      t.service_port, null::int as icmp_type, null::int as icmp_code, null::uuid as workload_id, null::int as nic,
      t.bytes, t.packets, t.flows, t.bucket_at as seen_at
    from (${rollups}) as t where t.counted and ${at}`;
  return summedUp(rows, NAMES);
}

/** With one of these at an end, and none of those. */
function buildEndCondition(these: readonly string[], those: readonly string[]): SQL {
  const [source, destination] = [raw('t.source_workload_id'), raw('t.destination_workload_id')];
  const isOne = (ids: readonly string[]) => sql`(${inIdList(source, ids)} or ${inIdList(destination, ids)})`;
  return those.length === 0 ? isOne(these) : sql`${isOne(these)} and ${isOne(those)} is not true`;
}

/** All columns, also those that are summed up. */
const COLUMNS = [...NAMES, 'bytes', 'packets', 'flows', 'last_seen_at'] as const;
const BLANK = Object.fromEntries(COLUMNS.map((name) => [name, null]));

/** A copy of one object has its fields in place: there are very many rows, and putting these together takes several times as long. */
function toConversation(values: Values): ObservedConversation {
  const row = { ...BLANK } as Record<string, unknown>;
  for (let at = 0; at < COLUMNS.length; at++) row[COLUMNS[at] as string] = values[at];
  return row as ObservedConversation;
}

/** How many conversations a query should give: few wait for their reader then, and the next query runs in the meantime. */
const PER_QUERY = 10_000;
/** Conversations that are handed over together, and how many of these parts wait for the reader: what such a query gives. */
const PART = 500;
const FIRST_PART = 25;
const AHEAD = PER_QUERY / PART + 2;
const MOST_WORKLOADS = 64;

type Part = { readonly conversations: readonly ObservedConversation[]; readonly done: number };
type Give = (part: Part) => Promise<void>;
type Source = 'flows' | 'hours';

/** Rollups, and rows of workloads that moved, are not found by workload: the range is read by one query. */
const isSingleQuery = ({ periods }: ReplaySelection, source: Source): boolean =>
  source === 'hours' || periods.length > 0;

/** One query after the other, by turns over the connections: while one is handed over, the next runs. Parts come in the order of the workloads. */
async function forEachBatch(lanes: readonly Streams[], selection: ReplaySelection, source: Source, give: Give) {
  const { at } = selection;
  // One workload first, so that something is found soon.
  let size = isSingleQuery(selection, source) ? at.length : 1;
  let handedOver: Promise<unknown> = Promise.resolve();
  const running = lanes.map(() => Promise.resolve());
  for (let done = 0, lane = 0; done < at.length; lane = (lane + 1) % lanes.length) {
    await running[lane];
    const [before, earlier] = [done, handedOver];
    const batch = at.slice(done, done + size);
    const where = buildEndCondition(batch, at.slice(0, done));
    const rows = source === 'flows' ? selectedFlows(selection, where) : selectedHours(selection, where);
    let found = 0;
    const hand = async (values: readonly Values[]) => {
      found += values.length;
      await earlier;
      // Of the first few it may be that each names another workload, whose rules are read for it.
      const part = before === 0 ? FIRST_PART : PART;
      for (let from = 0; from < values.length; from += part) {
        await give({ conversations: values.slice(from, from + part).map(toConversation), done: before });
      }
    };
    const run = (lanes[lane] as Streams).eachValues<Values>(inOrder(rows), hand, 2 * PER_QUERY).then(() => {
      size = Math.max(
        1,
        Math.min(Math.round((batch.length * PER_QUERY) / (found + 1)), batch.length * 4, MOST_WORKLOADS),
      );
    });
    running[lane] = run;
    handedOver = Promise.all([earlier, run]);
    // Reported where it is waited for.
    handedOver.catch(() => {});
    // How much there is of a workload is not known before.
    if (before === 0) await run;
    done += batch.length;
  }
  await handedOver;
}

/** Conversations with one of some workloads at an end, workload by workload. */
export const streamReplay: FlowStore['replay'] = (selection, source) =>
  toAsyncGenerator(
    (give) =>
      readSnapshot(
        (first) =>
          isSingleQuery(selection, source)
            ? forEachBatch([first], selection, source, give)
            : first.second((second) => forEachBatch([first, second], selection, source, give)),
        { sorts: true },
      ),
    AHEAD,
  );
