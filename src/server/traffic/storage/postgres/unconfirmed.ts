import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import type { UnconfirmedFlow, UnconfirmedFlowInput, UnconfirmedGuest } from '@/domain/agent';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../../db/client';
import { queryPage } from '../../../db/query-page';
import { nodes } from '../../../db/schema/clusters';
import { unconfirmedFlows } from '../../../db/schema/flows';
import { workloads } from '../../../db/schema/workloads';
import { batches } from '../../../db/update-rows';
import type { UnconfirmedRow, WaitingReport } from '../flow-rows';
import type { ReportedGuest, UnconfirmedReports } from '../flow-store';

/** How many reports of a node are kept, counted up to `limit`. */
async function countKept(executor: Executor, nodeId: string, limit: number): Promise<number> {
  const [row] = await executor
    .select({ n: count() })
    .from(
      executor
        .select({ id: unconfirmedFlows.id })
        .from(unconfirmedFlows)
        .where(eq(unconfirmedFlows.node_id, nodeId))
        .limit(limit)
        .as('kept'),
    );
  return row?.n ?? 0;
}

const keep: UnconfirmedReports['keep'] = async (tx, node, reports, { most, now }) => {
  if (reports.length === 0) return 0;
  const room = most - (await countKept(tx, node.node_id, most));
  const rows = reports.slice(0, Math.max(0, room)).map((report) => ({ ...node, ...report, received_at: now }));
  for (const batch of batches(rows)) await tx.insert(unconfirmedFlows).values(batch);
  return rows.length;
};

/** Clusters with reports that wait. */
async function listWaitingClusters(): Promise<string[]> {
  const rows = await db
    .selectDistinct({ cluster_id: unconfirmedFlows.cluster_id })
    .from(unconfirmedFlows)
    .where(eq(unconfirmedFlows.state, 'waiting'));
  return rows.map((row) => row.cluster_id);
}

const PLACE = {
  id: unconfirmedFlows.id,
  node_id: unconfirmedFlows.node_id,
  workload_id: unconfirmedFlows.workload_id,
  vmid: unconfirmedFlows.vmid,
  received_at: unconfirmedFlows.received_at,
  observed_at: unconfirmedFlows.observed_at,
};

/** Reports of a cluster that wait, oldest first, after an id. */
function listWaiting(clusterId: string, after: number, limit: number): Promise<WaitingReport[]> {
  return db
    .select(PLACE)
    .from(unconfirmedFlows)
    .where(
      and(
        eq(unconfirmedFlows.cluster_id, clusterId),
        eq(unconfirmedFlows.state, 'waiting'),
        sql`${unconfirmedFlows.id} > ${after}`,
      ),
    )
    .orderBy(asc(unconfirmedFlows.id))
    .limit(limit);
}

/** Takes reports of a node out of those that wait, in the order in which they came. Each is taken once. */
async function claimWaiting(tx: Tx, nodeId: string, ids: readonly number[]): Promise<UnconfirmedRow[]> {
  const rows = await tx
    .delete(unconfirmedFlows)
    .where(
      and(
        eq(unconfirmedFlows.node_id, nodeId),
        eq(unconfirmedFlows.state, 'waiting'),
        inArray(unconfirmedFlows.id, [...ids]),
      ),
    )
    .returning();
  return rows.sort((a, b) => a.id - b.id);
}

/** Refuses reports of a node about workloads that are on another one. @returns how many waited until now */
async function refuseWaiting(
  tx: Tx,
  nodeId: string,
  ids: readonly number[],
  placed: { node_id: string | null; at: string },
): Promise<number> {
  const rows = await tx
    .update(unconfirmedFlows)
    .set({ state: 'refused', placed_node_id: placed.node_id, refused_at: placed.at })
    .where(
      and(
        eq(unconfirmedFlows.node_id, nodeId),
        eq(unconfirmedFlows.state, 'waiting'),
        inArray(unconfirmedFlows.id, [...ids]),
      ),
    )
    .returning({ id: unconfirmedFlows.id });
  return rows.length;
}

const GUESTS_SHOWN = 50;

/** What the agent of a node reported about guests of other nodes, by guest. One query. */
async function listUnconfirmedGuests(nodeId: string): Promise<UnconfirmedGuest[]> {
  const at = (value: string) => sql.raw(`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
  const rows = await db.execute<UnconfirmedGuest>(sql`
    select u.*, w.name as workload_name, w.node_id as placed_node_id, n.name as placed_node_name
    from (
      select vmid, (array_agg(workload_id order by id desc))[1] as workload_id,
        (count(*) filter (where state = 'waiting'))::int as waiting, (count(*) filter (where state = 'refused'))::int as refused,
        ${at('min(observed_at)')} as first_observed_at, ${at('max(observed_at)')} as last_observed_at
      from ${unconfirmedFlows} where node_id = ${nodeId}::uuid group by vmid
      order by max(observed_at) desc, vmid limit ${GUESTS_SHOWN}) as u
    left join ${workloads} as w on w.id = u.workload_id
    left join ${nodes} as n on n.id = w.node_id
    order by u.last_observed_at desc, u.vmid`);
  return [...rows];
}

const field = (name: string) => sql.raw(`u.report->'record'->>'${name}' as ${name}`);

const number = (name: string) => sql.raw(`(u.report->'record'->>'${name}')::int as ${name}`);

/** What a report added, or where it does not say its total. */
const counted = (name: string) =>
  sql.raw(`coalesce(u.report->>'delta_${name}', u.report->'record'->>'reported_${name}')::float8 as ${name}`);

const time = (name: string) =>
  sql.raw(`to_char(u.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}`);

/** Flows that wait or were refused, those that were received last first. Two queries. */
function listUnconfirmed(input: UnconfirmedFlowInput): Promise<Page<UnconfirmedFlow>> {
  const { node_id, state, vmid } = input;
  const where = sql`true
    ${node_id === undefined ? sql`` : sql`and u.node_id = ${node_id}::uuid`}
    ${state === undefined ? sql`` : sql`and u.state = ${state}`}
    ${vmid === undefined ? sql`` : sql`and u.vmid = ${vmid}`}`;
  const sorts = { received_at: { column: sql.raw('u.received_at'), type: 'time' as const } };
  return queryPage<UnconfirmedFlow>(
    input,
    { sorts, sort: '-received_at', id: sql.raw('u.id') },
    ({ after, order, limit }) => ({
      rows: db
        .execute<UnconfirmedFlow>(sql`
          select u.id::text as id, u.node_id, u.state, u.vmid, u.workload_id, u.placed_node_id, ${time('received_at')},
            ${time('observed_at')}, ${time('refused_at')}, ${field('interface')}, ${field('source_ip')},
            ${field('destination_ip')}, ${field('protocol')}, ${field('decision')}, ${number('source_port')},
            ${number('destination_port')}, ${counted('bytes')}, ${counted('packets')}
          from ${unconfirmedFlows} as u where ${after ? sql`${where} and ${after}` : where}
          order by ${sql.join([...order], sql`, `)} limit ${limit}`)
        .then((rows) => [...rows]),
      total: db
        .execute<{ total: number }>(sql`select count(*)::int as total from ${unconfirmedFlows} as u where ${where}`)
        .then((rows) => rows[0]?.total ?? 0),
    }),
  );
}

/** Nodes of which reports were refused since a time, with the guests that they were about. */
async function listRefusals(since: string): Promise<{ node_id: string; node_name: string; vmids: number[] }[]> {
  const rows = await db.execute<{ node_id: string; node_name: string; vmids: number[] }>(sql`
    select u.node_id, n.name as node_name, array_agg(distinct u.vmid order by u.vmid) as vmids
    from ${unconfirmedFlows} as u join ${nodes} as n on n.id = u.node_id
    where u.state = 'refused' and u.refused_at >= ${since}::timestamptz group by 1, 2 order by 1`);
  return [...rows];
}

const countState = (state: 'waiting' | 'refused') =>
  sql<number>`(count(*) filter (where ${unconfirmedFlows.state} = ${state}))::int`;

/** How many reports of each node wait and were refused. One query. */
async function countByNode(nodeIds: readonly string[]): Promise<Map<string, { waiting: number; refused: number }>> {
  if (nodeIds.length === 0) return new Map();
  const rows = await db
    .select({ node_id: unconfirmedFlows.node_id, waiting: countState('waiting'), refused: countState('refused') })
    .from(unconfirmedFlows)
    .where(inArray(unconfirmedFlows.node_id, [...nodeIds]))
    .groupBy(unconfirmedFlows.node_id);
  return new Map(rows.map(({ node_id, ...counts }) => [node_id, counts]));
}

/** How many reports about one workload wait and were refused; those about a former one with its VMID do not count. One query. */
async function countByWorkload({ id, cluster_id, vmid }: ReportedGuest): Promise<{ waiting: number; refused: number }> {
  const [row] = await db
    .select({ waiting: countState('waiting'), refused: countState('refused') })
    .from(unconfirmedFlows)
    .innerJoin(nodes, eq(nodes.id, unconfirmedFlows.node_id))
    .where(
      and(eq(nodes.cluster_id, cluster_id), eq(unconfirmedFlows.vmid, vmid), eq(unconfirmedFlows.workload_id, id)),
    );
  return row ?? { waiting: 0, refused: 0 };
}

export const unconfirmed: UnconfirmedReports = {
  keep,
  waitingClusters: listWaitingClusters,
  waiting: listWaiting,
  take: claimWaiting,
  refuse: refuseWaiting,
  list: listUnconfirmed,
  countByNode,
  countByWorkload,
  guestsOf: listUnconfirmedGuests,
  refusals: listRefusals,
};
