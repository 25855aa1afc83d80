import { desc, type SQL, sql } from 'drizzle-orm';
import type { Flow, FlowListInput } from '@/domain/flow/flow';
import { formatFlowEnd, toVisibleCidr } from '@/domain/flow/flow-end';
import type { Page } from '@/domain/list';
import { db } from '../../../db/client';
import { buildOrder, queryPage, type SortKeys, withCursorErrors } from '../../../db/query-page';
import { readSnapshot } from '../../../db/stream-rows';
import { toAsyncGenerator } from '../../../lib/to-async-generator';
import type { FlowReach, FlowSelection } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { flowConditions } from './flow-conditions';
import { readNewestFirst } from './newest-first';
import { cidrIfVisible, flowRows, getWorkloadNameColumn, ifVisible } from './visible-rows';

export type FlowRow = Omit<Flow, 'source_label' | 'destination_label'>;

const column = (name: string): SQL => sql.raw(`t.${name}`);

/** SQL of a flow's id. */
export const FLOW_ID = sql.raw(`(t.node_id::text || '.' || t.flow_key::text)`);

/** Times as they are: what programs report is stored in milliseconds. */
export const FLOW_SORT_KEYS: SortKeys = {
  observed_at: { column: column('observed_at'), type: 'time' },
  first_seen_at: { column: column('first_seen_at'), type: 'time' },
  source_ip: { column: column('source_ip') },
  destination_ip: { column: column('destination_ip') },
  protocol: { column: column('protocol') },
  destination_port: { column: column('destination_port'), type: 'number', nullable: true },
  decision: { column: column('decision') },
  bytes: { column: column('bytes'), type: 'number', nullable: true },
  packets: { column: column('packets'), type: 'number', nullable: true },
};

const at = (name: string) =>
  sql.raw(`to_char(t.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`);

/** What the guest's interface tells is for those who may see the guest. */
const OBSERVER = ['interface', 'vmid', 'nic', 'vlan', 'raw'];

const PLAIN = [
  ...['cluster_id', 'node_id', 'protocol', 'source_port', 'destination_port', 'decision', 'state', 'collector'],
  ...['initiator', 'icmp_type', 'icmp_code'],
];

/** Rows of `traffic_flows` as they are shown, with the names they need: four lookups for each row of `page`. */
export function selectFlows(reach: FlowReach, page: SQL): SQL {
  const { visible } = reach;
  const cidr = (end: 'source' | 'destination') =>
    cidrIfVisible(column(`${end}_cidr`), column(`${end}_workload_id`), reach);
  const observer = ifVisible(column('workload_id'), visible);
  return sql`
    select ${FLOW_ID} as id, ${sql.raw(PLAIN.map((name) => `t.${name}`).join(', '))},
      host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip,
      (${cidr('source')})::text as source_cidr, (${cidr('destination')})::text as destination_cidr,
      t.bytes::float8, t.packets::float8, ${at('first_seen_at')}, ${at('observed_at')}, ${at('updated_at')},
      ${sql.join(
        OBSERVER.map((name) =>
          visible === 'all'
            ? column(name)
            : sql`case when ${observer} is not null then ${column(name)} end as ${sql.raw(name)}`,
        ),
        sql`, `,
      )},
      ow.id as workload_id, sw.id as source_workload_id, ${getWorkloadNameColumn('sw', reach.periods)} as source_workload_name,
      dw.id as destination_workload_id, ${getWorkloadNameColumn('dw', reach.periods)} as destination_workload_name,
      nodes.name as node_name, clusters.name as cluster_name
    from (${page}) as t
    left join nodes on nodes.id = t.node_id
    left join clusters on clusters.id = t.cluster_id
    left join workloads as ow on ow.id = ${observer}
    left join workloads as sw on sw.id = ${ifVisible(column('source_workload_id'), visible)}
    left join workloads as dw on dw.id = ${ifVisible(column('destination_workload_id'), visible)}`;
}

/** Adds the labels. */
export const addLabels = (row: FlowRow): Flow => ({
  ...row,
  source_cidr: toVisibleCidr(row.source_cidr),
  destination_cidr: toVisibleCidr(row.destination_cidr),
  source_label: formatFlowEnd(row.source_ip, row.source_cidr),
  destination_label: formatFlowEnd(row.destination_ip, row.destination_cidr),
});

async function readFlows(reach: FlowReach, where: SQL, order: readonly SQL[], limit: number): Promise<Flow[]> {
  const by = sql.join([...order], sql`, `);
  const page = sql`select t.* from ${flowRows(reach.periods)} as t where ${where} order by ${by} limit ${limit}`;
  const rows = await db.execute<FlowRow>(sql`${selectFlows(reach, page)} order by ${by}`);
  return rows.map(addLabels);
}

const LIST = { sorts: FLOW_SORT_KEYS, sort: '-observed_at', id: FLOW_ID };

/** Flows page by page. At most four queries. */
export function listFlows(selection: FlowSelection, input: FlowListInput): Promise<Page<Flow>> {
  return queryPage<Flow>(input, LIST, ({ after, order, limit }) => ({
    rows: readNewestFirst(selection, input, limit, (part) => {
      const where = flowConditions(part);
      return readFlows(selection, after ? sql`${where} and ${after}` : where, order, limit);
    }),
    total: db
      .execute<{ total: number }>(
        sql`select count(*)::int as total from ${flowRows(selection.periods)} as t where ${flowConditions(selection)}`,
      )
      .then((rows) => rows[0]?.total ?? 0),
  }));
}

/** All flows in their order, of one state of the database. */
export const streamFlows: FlowStore['stream'] = (selection, input) =>
  toAsyncGenerator((give) => {
    const { after, order } = buildOrder(input, LIST);
    const where = after ? sql`${flowConditions(selection)} and ${after}` : flowConditions(selection);
    const rows = selectFlows(selection, sql`select t.* from ${flowRows(selection.periods)} as t where ${where}`);
    const query = sql`${rows} order by ${sql.join(order, sql`, `)}`;
    return withCursorErrors(
      input.cursor,
      readSnapshot((snapshot) => snapshot.each<FlowRow>(query, (found) => give(found.map(addLabels))), { sorts: true }),
    );
  });

/** The newest flows that were stored since `after`. One query. */
export function findFlowsStoredSince(selection: FlowSelection, after: string, limit: number): Promise<Flow[]> {
  const where = sql`${flowConditions(selection)} and t.updated_at >= ${after}::timestamptz`;
  // Not by the id as text: it would be made of every flow that was stored, and few of them are shown.
  const order = ['observed_at', 'node_id', 'flow_key'].map((name) => desc(column(name)));
  return readFlows(selection, where, order, limit);
}
