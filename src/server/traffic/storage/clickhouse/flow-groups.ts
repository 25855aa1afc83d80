import type { CountedSource, FlowGrouping } from '@/domain/flow/flow-sums';
import { encodeCursor } from '../../../db/keyset';
import type { FlowSums, GroupRow } from '../flow-rows';
import type { BoundedSelection, FlowReach } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { addressText } from './conditions';
import type { Connection } from './connection';
import { countedFlows } from './flow-conditions';
import { SERVICE_PORT } from './flow-direction';
import { keyset } from './keyset';
import { findNames, nameWorkloads, resolvePlaces } from './names';
import { countedRollups } from './rollup-conditions';
import { ch, join, NONE, number, type Part, raw, text, time, uuid } from './statement';
import { cidrIfVisible, ifVisible } from './visible-rows';

/** What flows can be grouped by; where a grouping has none of it, what it is instead. */
const KEYS = {
  source_ip: `toIPv6('::')`,
  source_workload_id: `toUUID('${NONE}')`,
  source_cidr: `''`,
  destination_ip: `toIPv6('::')`,
  destination_workload_id: `toUUID('${NONE}')`,
  destination_cidr: `''`,
  protocol: `''`,
  port: 'null',
  decision: `''`,
  node_id: `toUUID('${NONE}')`,
} as const;
type KeyName = keyof typeof KEYS;
type Keys = Partial<Record<KeyName, Part>>;

const KEY_NAMES = Object.keys(KEYS) as KeyName[];

/** One end as a workload or, where the workload may not be seen, as the subnet that contains it. */
function endKeys(end: 'source' | 'destination', reach: FlowReach, cidr: Part): Keys {
  const column = raw(`t.${end}_workload_id`);
  const workload = ifVisible(column, reach.visible);
  const shown = cidrIfVisible(cidr, column, reach);
  return {
    [`${end}_workload_id`]: workload,
    [`${end}_cidr`]: ch`if(${workload} = ${uuid(NONE)}, ${shown}, '')`,
  };
}

/** An address with all that is known about it. */
const addressKeys = (end: 'source' | 'destination', reach: FlowReach): Keys => ({
  [`${end}_ip`]: raw(`t.${end}_ip`),
  [`${end}_workload_id`]: ifVisible(raw(`t.${end}_workload_id`), reach.visible),
  [`${end}_cidr`]: cidrIfVisible(raw(`t.${end}_cidr`), raw(`t.${end}_workload_id`), reach),
});

/** What flows are grouped by, of rows under the alias `t`. */
export function getGroupKeys(grouping: FlowGrouping, source: CountedSource, reach: FlowReach): Keys {
  const getCidrColumn = (end: string) =>
    source === 'flows' ? raw(`t.${end}_cidr`) : raw(`if(t.${end}_internal, t.${end}_prefix, '')`);
  switch (grouping) {
    case 'workloads':
      return {
        ...endKeys('source', reach, getCidrColumn('source')),
        ...endKeys('destination', reach, getCidrColumn('destination')),
      };
    case 'source':
    case 'destination':
      return addressKeys(grouping, reach);
    case 'service':
      return { protocol: raw('t.protocol'), port: source === 'flows' ? SERVICE_PORT : raw('t.service_port') };
    case 'decision':
      return { decision: raw('t.decision') };
    case 'node':
      return { node_id: raw('t.node_id') };
  }
}

/** The names of the keys that a grouping has. */
export const listKeyNames = (keys: Keys): KeyName[] => KEY_NAMES.filter((name) => keys[name] !== undefined);

/** SQL of the identity of groups, of columns with these names. */
export function groupId(names: readonly KeyName[], toColumn: (name: KeyName) => string): Part {
  const part = (name: KeyName) => {
    if (!names.includes(name)) return ch`''`;
    const column = raw(toColumn(name));
    if (name.endsWith('_ip')) return addressText(column);
    if (name === 'port') return ch`ifNull(toString(${column}), '')`;
    return name.endsWith('_id') ? ch`if(${column} = ${uuid(NONE)}, '', toString(${column}))` : ch`toString(${column})`;
  };
  return ch`concat(${join(KEY_NAMES.map(part), `, '|', `)})`;
}

/** The share of a flow's totals that falls into the range, when they are spread evenly over the flow's time. */
function buildShare(since: string, until: string): Part {
  const ms = (of: Part) => ch`toUnixTimestamp64Milli(${of})`;
  const [first, last] = [raw('t.first_seen_at'), raw('t.observed_at')];
  return ch`if(${last} <= ${first}, 1, (${ms(ch`least(${last}, ${time(until)})`)} - ${ms(ch`greatest(${first}, ${time(since)})`)})
    / (${ms(last)} - ${ms(first)}))`;
}

/** Rows with the keys and what each adds to its group. */
async function selectGroupRows(selection: BoundedSelection, source: CountedSource, keys: Keys): Promise<Part> {
  const columns = join(
    listKeyNames(keys).map((name) => ch`${keys[name] as Part} as ${raw(`key_${name}`)}`),
    ', ',
  );
  if (source === 'flows') {
    const { since, until } = selection;
    const share = buildShare(since, until);
    return ch`select ${columns}, t.bytes * ${share} as bytes, t.packets * ${share} as packets,
        toInt64(t.first_seen_at >= ${time(since)}) as flows, t.observed_at as last_seen_at, t.counted as counted
      from (${countedFlows(selection, await resolvePlaces(selection), 'node_id' in keys)}) as t`;
  }
  return ch`select ${columns}, t.bytes as bytes, t.packets as packets, t.flows as flows,
      toDateTime64(t.bucket_at, 3, 'UTC') as last_seen_at, t.counted as counted
    from (${await countedRollups(selection, source)}) as t`;
}

type Answer = Record<`key_${KeyName}`, string | number | null> & {
  id: string;
  bytes: number;
  packets: number;
  flows: number;
  last_seen_ms: number;
  group_total: number;
  sum_bytes: number;
  sum_packets: number;
  sum_flows: number;
};

const sumShown = (field: 'bytes' | 'packets' | 'flows', which: string): string =>
  `round(ifNull(sumIf(r.${field}, ${which}), 0))`;

/** The groups of a selection under the alias `g`, each with the totals of all, in which each conversation counts once. */
function sumGroups(rows: Part, names: readonly KeyName[], isByNode: boolean): Part {
  // A node's group is what that node reported. Between nodes, as everywhere, a conversation counts once.
  const shown = isByNode ? 'true' : 'r.counted';
  const keys = names.map((name) => `r.key_${name}`).join(', ');
  const sums = (['bytes', 'packets', 'flows'] as const).map(
    (field) => `${sumShown(field, shown)} as ${field}, sumIf(r.${field}, r.counted) as counted_${field}`,
  );
  return ch`(select s.*, ${groupId(names, (name) => `s.key_${name}`)} as id, count() over () as group_total,
      round(ifNull(sum(s.counted_bytes) over (), 0)) as sum_bytes, round(ifNull(sum(s.counted_packets) over (), 0)) as sum_packets,
      ifNull(sum(s.counted_flows) over (), 0) as sum_flows
    from (select ${raw(names.map((name) => `r.key_${name} as key_${name}`).join(', '))}, ${raw(sums.join(', '))},
        max(r.last_seen_at) as last_seen_at
      from (${rows}) as r group by ${raw(keys)}) as s)`;
}

async function toGroups(rows: readonly Answer[], { periods }: FlowReach): Promise<GroupRow[]> {
  const id = (row: Answer, name: KeyName) => {
    const value = row[`key_${name}`] ?? null;
    return value === NONE ? null : (value as string | null);
  };
  const names = await findNames({
    nodes: rows.map((row) => id(row, 'node_id')),
    workloads: rows.flatMap((row) => [id(row, 'source_workload_id'), id(row, 'destination_workload_id')]),
  });
  const nameOf = nameWorkloads(names, periods);
  const plain = (row: Answer, name: KeyName) => (row[`key_${name}`] as string | null | undefined) || null;
  const address = (row: Answer, name: KeyName) => plain(row, name)?.replace(/^::ffff:(?=\d+\.)/, '') ?? null;
  return rows.map((row) => {
    const end = (which: 'source' | 'destination') => ({
      [`${which}_ip`]: address(row, `${which}_ip`),
      [`${which}_workload_id`]: id(row, `${which}_workload_id`),
      [`${which}_workload_name`]: nameOf(id(row, `${which}_workload_id`)).name,
      [`${which}_cidr`]: plain(row, `${which}_cidr`),
    });
    const node_id = id(row, 'node_id');
    return {
      id: row.id,
      ...end('source'),
      ...end('destination'),
      ...{ protocol: plain(row, 'protocol'), port: row.key_port ?? null, decision: plain(row, 'decision'), node_id },
      node_name: node_id && (names.nodes.get(node_id) ?? null),
      ...{ bytes: row.bytes, packets: row.packets, flows: row.flows },
      last_seen_at: new Date(row.last_seen_ms).toISOString(),
    } as GroupRow;
  });
}

const FIELDS = {
  bytes: 'number',
  packets: 'number',
  flows: 'number',
  last_seen_at: 'time',
} as const;

/** Groups page by page with the totals of all of them. `source` must be one that can answer the selection's filters and the grouping. */
export const listFlowGroups =
  (connection: Connection): FlowStore['groups'] =>
  async (selection, source, input) => {
    const sort = input.sort ?? '-bytes';
    const descending = sort.startsWith('-');
    const field = (descending ? sort.slice(1) : sort) as keyof typeof FIELDS;
    const { order, after } = keyset(
      { column: raw(`g.${field}`), type: FIELDS[field] },
      { columns: [raw('g.id')], parse: (id) => [text(id)] },
      descending,
      input.cursor,
    );
    const keys = getGroupKeys(input.group_by, source, selection);
    const rows = await selectGroupRows(selection, source, keys);
    const groups = sumGroups(rows, listKeyNames(keys), input.group_by === 'node');
    const read = (where: Part, limit: number) =>
      connection.read<Answer>(ch`select g.* except (last_seen_at, counted_bytes, counted_packets, counted_flows),
          toUnixTimestamp64Milli(g.last_seen_at) as last_seen_ms
        from ${groups} as g where ${where} order by ${order} limit ${number(limit)}`);
    const found = await read(after ?? raw('true'), input.limit + 1);
    // Behind the last group there is none that knows the totals.
    const [first] = found.length > 0 || !after ? found : await read(raw('true'), 1);
    const items = await toGroups(found.slice(0, input.limit), selection);
    const last = items.at(-1);
    const sums: FlowSums = {
      ...{ bytes: first?.sum_bytes ?? 0, packets: first?.sum_packets ?? 0, flows: first?.sum_flows ?? 0 },
    };
    return {
      items,
      next_cursor: found.length > input.limit && last ? encodeCursor(last[field], last.id) : null,
      total: first?.group_total ?? 0,
      sums,
    };
  };
