import { type SQL, sql } from 'drizzle-orm';
import { db } from '../../../db/client';
import { encodeCursor, keyset } from '../../../db/keyset';
import { withCursorErrors } from '../../../db/query-page';
import { flowEstimates, flowExporters } from '../../../db/schema/flow-exporters';
import { unnestRows } from '../../../db/unnest-rows';
import { stableKey } from '../../../lib/ids';
import type { EstimateRecord, EstimateRow, EstimateSums } from '../flow-rows';
import type { EstimateSelection, FlowReach } from '../flow-selection';
import type { FlowEstimates } from '../flow-store';
import { cidrIfVisible, estimateRows, getWorkloadNameColumn, ifVisible, inIdList } from './visible-rows';

const COLUMNS = {
  bucket_at: 'timestamptz',
  estimate_key: 'uuid',
  source_workload_id: 'uuid',
  destination_workload_id: 'uuid',
  source_prefix: 'cidr',
  destination_prefix: 'cidr',
  source_internal: 'boolean',
  destination_internal: 'boolean',
  protocol: 'text',
  service_port: 'int',
  bytes: 'bigint',
  packets: 'bigint',
  samples: 'bigint',
  variance: 'float8',
  records: 'bigint',
} as const satisfies Record<keyof EstimateRecord, string>;

const raw = (text: string): SQL => sql.raw(text);

/** The row of an hour with everything that has none of its own. */
const OTHERS = raw(`'${stableKey(['others'])}'::uuid`);

/** What a row without ends has. */
const NAMES = [
  'source_workload_id',
  'destination_workload_id',
  'source_prefix',
  'destination_prefix',
  'protocol',
  'service_port',
];
const FLAGS = ['source_internal', 'destination_internal'];
const SUMS = ['bytes', 'packets', 'samples'];

/** Totals stay within what JavaScript can hold, whatever an exporter claims. */
const capped = (value: string): string => `least(${value}, ${Number.MAX_SAFE_INTEGER})`;

const NEW_SUMS = raw([...SUMS.map((name) => capped(`sum(${name})`)), 'sum(variance)'].join(', '));
const ADDED = raw(
  [
    ...SUMS.map((name) => `${name} = ${capped(`t.${name} + excluded.${name}`)}`),
    'variance = t.variance + excluded.variance',
  ].join(', '),
);

/** One statement: rows that exist, or for which there is room, get what is theirs; the others are added to one row of their hour. */
const addEstimates: FlowEstimates['add'] = async (tx, exporterId, rows, most) => {
  const exporter = sql`${exporterId}::uuid`;
  const [row] = await tx.execute<{ folded: number }>(sql`
    with r as materialized (select * from ${unnestRows(COLUMNS, 'estimate_key', rows)} as r),
    hours as (
      select b.bucket_at, (select count(*) from ${flowEstimates} as e
        where e.exporter_id = ${exporter} and e.bucket_at = b.bucket_at and e.estimate_key <> ${OTHERS}) as rows
      from (select distinct bucket_at from r) as b),
    known as (
      select r.*, r.source_prefix is null as is_other, hours.rows, exists (select 1 from ${flowEstimates} as e
        where e.exporter_id = ${exporter} and e.bucket_at = r.bucket_at and e.estimate_key = r.estimate_key) as is_known
      from r join hours using (bucket_at)),
    placed as materialized (
      select known.*, not is_other and (is_known or
        rows + row_number() over (partition by bucket_at, is_known or is_other order by bytes desc, estimate_key) <= ${most}) as fits
      from known),
    added as (
      insert into ${flowEstimates} as t (exporter_id, bucket_at, estimate_key, ${raw([...NAMES, ...FLAGS, ...SUMS].join(', '))}, variance)
      select ${exporter}, bucket_at, case when fits then estimate_key else ${OTHERS} end,
        ${raw([...NAMES.map((name) => `case when fits then ${name} end`), ...FLAGS.map((name) => `fits and ${name}`)].join(', '))},
        ${NEW_SUMS}
      from placed group by 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 order by 2, 3
      on conflict (exporter_id, bucket_at, estimate_key) do update set ${ADDED})
    select coalesce(sum(records) filter (where not fits and not is_other), 0)::float8 as folded from placed`);
  return row?.folded ?? 0;
};

/** One end: its workload where that may be seen, else its network. */
function buildEnd(end: 'source' | 'destination', reach: FlowReach): Record<string, SQL> {
  const [workload, prefix] = [raw(`t.${end}_workload_id`), raw(`t.${end}_prefix`)];
  const shown = ifVisible(workload, reach.visible);
  const network = sql`case when t.${raw(end)}_internal then ${cidrIfVisible(prefix, workload, reach)} else ${prefix} end`;
  return {
    [`${end}_workload_id`]: shown,
    [`${end}_network`]: sql`case when (${shown}) is null then ${network} end`,
    [`${end}_external`]: sql`(${shown}) is null and ${prefix} is not null and not t.${raw(end)}_internal`,
  };
}

function buildConditions(selection: EstimateSelection): SQL {
  const { visible, since, until, cluster_id, flow_exporter_id, workload_id } = selection;
  const [source, destination] = [raw('t.source_workload_id'), raw('t.destination_workload_id')];
  const isWorkload = (end: SQL) => sql`${ifVisible(end, visible)} = ${workload_id}::uuid`;
  return sql.join(
    [
      sql`t.bucket_at >= ${since}::timestamptz and t.bucket_at < ${until}::timestamptz`,
      ...(visible === 'all' ? [] : [sql`(${inIdList(source, visible)} or ${inIdList(destination, visible)})`]),
      ...(flow_exporter_id === undefined ? [] : [sql`t.exporter_id = ${flow_exporter_id}::uuid`]),
      ...(cluster_id === undefined
        ? []
        : [sql`t.exporter_id in (select id from ${flowExporters} where cluster_id = ${cluster_id}::uuid)`]),
      ...(workload_id === undefined ? [] : [sql`(${isWorkload(source)} or ${isWorkload(destination)})`]),
    ],
    sql` and `,
  );
}

type Answer = EstimateRow & {
  all: number;
  sum_bytes: number;
  sum_packets: number;
  sum_samples: number;
  sum_variance: number;
};

/** One query. */
const listEstimates: FlowEstimates['list'] = async (selection, input) => {
  const sort = input.sort ?? '-bytes';
  const descending = sort.startsWith('-');
  const field = (descending ? sort.slice(1) : sort) as 'bytes' | 'packets' | 'samples';
  const { order, after } = keyset({ column: raw(`g.${field}`), type: 'number' }, raw('g.id'), descending, input.cursor);
  const by = sql.join(order, sql`, `);
  const keys = {
    ...buildEnd('source', selection),
    ...buildEnd('destination', selection),
    is_other: raw('t.source_prefix is null'),
    protocol: raw('t.protocol'),
    port: raw('t.service_port'),
  };
  const names = Object.keys(keys);
  const columns = sql.join(
    Object.entries(keys).map(([name, value]) => sql`${value} as ${raw(name)}`),
    sql`, `,
  );
  const total = (name: string) => raw(`${capped(`coalesce(sum(${name}), 0)`)}::float8`);
  const sums = sql`${total('bytes')} as bytes, ${total('packets')} as packets, ${total('samples')} as samples`;
  const found = await withCursorErrors(
    input.cursor,
    db.execute<Answer>(sql`
      with summed as materialized (
        select g.*, ${raw(`concat_ws('|', ${names.map((name) => `coalesce(g.${name}::text, '')`).join(', ')})`)} as id from (
          select ${raw(names.join(', '))}, ${sums}, sum(variance) as variance
          from (select ${columns}, t.bytes, t.packets, t.samples, t.variance from ${estimateRows(selection.periods)} as t
            where ${buildConditions(selection)}) as r
          group by ${raw(names.join(', '))}) as g),
      page as (select g.*, row_number() over (order by ${by}) as position from summed as g
        where ${after ?? sql`true`} order by ${by} limit ${input.limit + 1}),
      everything as (select count(*)::int as "all", ${total('bytes')} as sum_bytes, ${total('packets')} as sum_packets,
        ${total('samples')} as sum_samples, coalesce(sum(variance), 0) as sum_variance from summed)
      select everything.*, p.id, p.source_workload_id, ${getWorkloadNameColumn('sw', selection.periods)} as source_workload_name,
        p.source_network::text, p.source_external, p.destination_workload_id,
        ${getWorkloadNameColumn('dw', selection.periods)} as destination_workload_name, p.destination_network::text,
        p.destination_external, p.is_other, p.protocol, p.port, p.bytes, p.packets, p.samples, p.variance
      from everything left join page as p on true
      left join workloads as sw on sw.id = p.source_workload_id
      left join workloads as dw on dw.id = p.destination_workload_id
      order by p.position`),
  );
  const [first] = found;
  if (!first) throw new Error('expected a row of totals');
  const all: EstimateSums = {
    ...{ bytes: first.sum_bytes, packets: first.sum_packets, samples: first.sum_samples, variance: first.sum_variance },
  };
  const rows = found
    .filter(({ id }) => id !== null)
    .map(({ all: _, sum_bytes: _b, sum_packets: _p, sum_samples: _s, sum_variance: _v, ...row }) => row);
  const items = rows.slice(0, input.limit);
  const last = items.at(-1);
  const next_cursor = rows.length > input.limit && last ? encodeCursor(last[field], last.id) : null;
  return { items, next_cursor, total: first.all, sums: all };
};

/** See `FlowEstimates`. */
export const estimates: FlowEstimates = { add: addEstimates, list: listEstimates };
