import { type SQL, sql } from 'drizzle-orm';
import type { CountedSource, FlowGrouping, FlowGroupsInput } from '@/domain/flow/flow-sums';
import type { Page } from '@/domain/list';
import { db } from '../../../db/client';
import { encodeCursor, keyset } from '../../../db/keyset';
import { withCursorErrors } from '../../../db/query-page';
import type { FlowSums, GroupRow } from '../flow-rows';
import type { BoundedSelection, FlowReach } from '../flow-selection';
import { countedFlows } from './flow-conditions';
import { SERVICE_PORT } from './flow-direction';
import { countedTraffic } from './hour-totals';
import { countedRollups } from './rollup-conditions';
import { cidrIfVisible, getWorkloadNameColumn, ifVisible } from './visible-rows';

type Keys = Partial<Record<keyof typeof KEY_TYPES, SQL>>;

const KEY_TYPES = {
  source_ip: 'inet',
  source_workload_id: 'uuid',
  source_cidr: 'cidr',
  destination_ip: 'inet',
  destination_workload_id: 'uuid',
  destination_cidr: 'cidr',
  protocol: 'text',
  port: 'int',
  decision: 'text',
  node_id: 'uuid',
} as const;

export const KEY_NAMES = Object.keys(KEY_TYPES) as (keyof typeof KEY_TYPES)[];

const raw = (text: string): SQL => sql.raw(text);

/** One end as a workload or, where the workload may not be seen, as the subnet that contains it. */
function endKeys(end: 'source' | 'destination', reach: FlowReach, cidr: SQL): Keys {
  const column = raw(`t.${end}_workload_id`);
  const workload = ifVisible(column, reach.visible);
  const shown = cidrIfVisible(cidr, column, reach);
  return { [`${end}_workload_id`]: workload, [`${end}_cidr`]: sql`case when (${workload}) is null then ${shown} end` };
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
    source === 'flows' ? raw(`t.${end}_cidr`) : raw(`case when t.${end}_internal then t.${end}_prefix end`);
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

/** The share of a flow's totals that falls into the range, when they are spread evenly over the flow's time. */
export function buildShareExpression(since: string, until: string): SQL {
  const seconds = (from: SQL, to: SQL) => sql`extract(epoch from ${to} - ${from})::float8`;
  const first = raw('t.first_seen_at');
  const last = raw('t.observed_at');
  return sql`case when ${last} <= ${first} then 1 else ${seconds(
    sql`greatest(${first}, ${since}::timestamptz)`,
    sql`least(${last}, ${until}::timestamptz)`,
  )} / ${seconds(first, last)} end`;
}

/** The keys as columns, those that are not part of the grouping as null. */
export function buildKeyColumns(keys: Keys, prefix = ''): SQL {
  return sql.join(
    KEY_NAMES.map((name) => sql`${keys[name] ?? raw('null')}::${raw(KEY_TYPES[name])} as ${raw(prefix + name)}`),
    sql`, `,
  );
}

/** Rows with the keys and what each adds to its group. */
function selectGroupRows(selection: BoundedSelection, source: CountedSource, keys: Keys): SQL {
  const columns = buildKeyColumns(keys);
  if (source === 'flows') {
    const { since, until } = selection;
    return sql`
      select ${columns}, t.bytes * s.share as bytes, t.packets * s.share as packets,
        (t.first_seen_at >= ${since}::timestamptz)::int as flows, t.observed_at as last_seen_at, t.counted
      from (${countedFlows(selection, 'node_id' in keys)}) as t cross join lateral (select ${buildShareExpression(since, until)} as share) as s`;
  }
  const rows = 'node_id' in keys ? countedRollups(selection, source) : countedTraffic(selection, source);
  return sql`select ${columns}, t.bytes, t.packets, t.flows, t.bucket_at as last_seen_at, t.counted from (${rows}) as t`;
}

/** Tells groups apart, of rows under the alias `g`. */
export const GROUP_ID = raw(`concat_ws('|', ${KEY_NAMES.map((name) => `coalesce(g.${name}::text, '')`).join(', ')})`);

const TIME = raw(`to_char(p.last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

type Answer = GroupRow & { group_total: number; sum_bytes: number; sum_packets: number; sum_flows: number };

const buildSum = (field: 'bytes' | 'packets' | 'flows', which: SQL): SQL =>
  sql`round(coalesce(sum(${raw(field)}) filter (where ${which}), 0))::float8`;

/**
 * Groups page by page with the totals of all of them, in which each conversation counts once (see `countedOnce`). One
 * query. `source` must be one that can answer the selection's filters and the grouping.
 */
export async function listFlowGroups(
  selection: BoundedSelection,
  source: CountedSource,
  input: FlowGroupsInput,
): Promise<Page<GroupRow> & { sums: FlowSums }> {
  const sort = input.sort ?? '-bytes';
  const descending = sort.startsWith('-');
  const field = (descending ? sort.slice(1) : sort) as 'bytes' | 'packets' | 'flows' | 'last_seen_at';
  const { order, after } = keyset(
    { column: raw(`g.${field}`), type: field === 'last_seen_at' ? 'time' : 'number' },
    raw('g.id'),
    descending,
    input.cursor,
  );
  const keys = getGroupKeys(input.group_by, source, selection);
  const names = raw(KEY_NAMES.join(', '));
  // A node's group is what that node reported. Between nodes, as everywhere, a conversation counts once.
  const shown = raw(input.group_by === 'node' ? 'true' : 'counted');
  const by = sql.join(order, sql`, `);
  const [row, ...rest] = await withCursorErrors(
    input.cursor,
    db.execute<Answer>(sql`
      with summed as materialized (
        select g.*, ${GROUP_ID} as id from (
          select ${names}, ${buildSum('bytes', shown)} as bytes, ${buildSum('packets', shown)} as packets,
            ${buildSum('flows', shown)} as flows, date_trunc('milliseconds', max(last_seen_at)) as last_seen_at,
            sum(bytes) filter (where counted) as counted_bytes, sum(packets) filter (where counted) as counted_packets,
            sum(flows) filter (where counted) as counted_flows
          from (${selectGroupRows(selection, source, keys)}) as r group by ${names}) as g),
      page as (select g.*, row_number() over (order by ${by}) as position from summed as g
        where ${after ?? sql`true`} order by ${by} limit ${input.limit + 1}),
      everything as (select count(*)::int as group_total, round(coalesce(sum(counted_bytes), 0))::float8 as sum_bytes,
        round(coalesce(sum(counted_packets), 0))::float8 as sum_packets, coalesce(sum(counted_flows), 0)::float8 as sum_flows
        from summed)
      select everything.*, p.id, host(p.source_ip) as source_ip, p.source_workload_id, ${getWorkloadNameColumn('sw', selection.periods)} as source_workload_name,
        p.source_cidr::text, host(p.destination_ip) as destination_ip, p.destination_workload_id,
        ${getWorkloadNameColumn('dw', selection.periods)} as destination_workload_name, p.destination_cidr::text, p.protocol, p.port, p.decision, p.node_id,
        nodes.name as node_name, p.bytes, p.packets, p.flows, ${TIME} as last_seen_at
      from everything left join page as p on true
      left join workloads as sw on sw.id = p.source_workload_id
      left join workloads as dw on dw.id = p.destination_workload_id
      left join nodes on nodes.id = p.node_id
      order by p.position`),
  );
  if (!row) throw new Error('expected a row of totals');
  const { group_total: total, sum_bytes: bytes, sum_packets: packets, sum_flows: flows } = row;
  const found = [row, ...rest]
    .filter((one) => one.id !== null)
    .map(({ group_total: _, sum_bytes: _b, sum_packets: _p, sum_flows: _f, ...group }) => group);
  const items = found.slice(0, input.limit);
  const last = items.at(-1);
  const next_cursor = found.length > input.limit && last ? encodeCursor(last[field], last.id) : null;
  return { items, next_cursor, total, sums: { bytes, packets, flows } };
}
