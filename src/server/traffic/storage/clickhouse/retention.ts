import { sql } from 'drizzle-orm';
import { HOUR_MS } from '@/domain/durations';
import { HOURLY_HOURS, minuteCutoff } from '@/domain/flow/plan-range';
import { deleteAged } from '../../../db/aged-rows';
import { db } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { nodes } from '../../../db/schema/clusters';
import { openConversations } from '../../../db/schema/flow-outbox';
import { unnestRows } from '../../../db/unnest-rows';
import type { FlowUpkeep } from '../flow-store';
import { buildMarkInsert, lockTrafficSums } from '../postgres/hours-to-sum';
import { deleteGoneNodes, retainOthers } from '../postgres/retention';
import type { Connection } from './connection';
import { settleAgain } from './conversation-rows';
import { checkDays, forgetDays } from './counted-days';
import { any, ch, idArray, NONE, type Part, raw, second, time, toStatement } from './statement';

/** As long as an agent keeps what it cannot send: only so long can a report continue a conversation. */
export const OPEN_HOURS = 24 + 1;

type Partition = { partition: string; rows: number };

/** The partitions of a table of which a condition holds for all rows. */
const findPartitions = (connection: Connection, table: string, all: Part): Promise<Partition[]> =>
  connection.read<Partition>(ch`
    select t._partition_id as partition, count() as rows from ${raw(table)} as t group by t._partition_id having min(${all}) = 1`);

async function dropPartitions(connection: Connection, table: string, expired: Part, signal: AbortSignal | undefined) {
  let total = 0;
  for (const { partition, rows } of await findPartitions(connection, table, expired)) {
    signal?.throwIfAborted();
    if (!/^\w+$/.test(partition)) throw new Error('expected the id of a partition');
    await connection.run(`alter table ${table} drop partition id '${partition}'`);
    total += rows;
  }
  return total;
}

/** Until when all had expired by the run before, in milliseconds. */
async function readExpiry(connection: Connection): Promise<number> {
  const [row] = await connection.read<{ until_ms: number }>(
    ch`select toUnixTimestamp64Milli(max(until)) as until_ms from flow_expiry`,
  );
  return row?.until_ms ?? 0;
}

/**
 * What was last seen before has expired: it is read no more from now on, and a day of which all expired is deleted as a whole. The newest
 * run decides: one whose clock was ahead would hide what is stored until then.
 */
async function dropFlows(connection: Connection, cutoff: string, signal: AbortSignal | undefined): Promise<number> {
  const former = await readExpiry(connection);
  const isEarlier = Date.parse(cutoff) < former;
  if (isEarlier) await connection.run(toStatement(ch`delete from flow_expiry where until > ${time(cutoff)}`).query);
  const { query } = toStatement(ch`insert into flow_expiry (one, until) select 1, ${time(cutoff)}`);
  await connection.run(query);
  // What is left of a conversation that loses flows, and that of one which has some of its flows again.
  const isLess = ch`s.last_seen_at >= ${time(cutoff)} and s.first_seen_at < ${time(cutoff)}`;
  const isMore = ch`s.last_seen_at >= ${time(new Date(former).toISOString())} and s.began_at < ${second(former)}`;
  await connection.run(toStatement(settleAgain(isEarlier ? any([isLess, isMore]) : isLess)).query);
  await dropPartitions(connection, 'settled_conversations', ch`t.last_seen_at < ${time(cutoff)}`, signal);
  return dropPartitions(connection, 'flows', ch`t.observed_at < ${time(cutoff)}`, signal);
}

/** Nodes that are in the table and do not exist any more, with how many rows. @param node SQL of the id of a row's node, as text */
async function findDeletedNodes(
  connection: Connection,
  table: string,
  node: string,
): Promise<{ node_id: string; rows: number }[]> {
  const found = await connection.read<{ node_id: string; rows: number }>(
    ch`select ${raw(node)} as node_id, count() as rows from ${raw(table)} as t group by node_id`,
  );
  if (found.length === 0) return [];
  const ids = pgArray(
    'uuid',
    found.map(({ node_id }) => node_id),
  );
  const known = await db.execute<{ id: string }>(sql`select id from ${nodes} where id = any (${ids})`);
  const present = new Set(known.map(({ id }) => id));
  return found.filter(({ node_id }) => node_id !== NONE && !present.has(node_id));
}

/** Conversations that nodes reported which are gone: what other nodes reported of them stays. */
async function deleteReports(connection: Connection): Promise<void> {
  const gone = await findDeletedNodes(connection, 'settled_conversations', 'arrayJoin(t.node_ids)');
  if (gone.length === 0) return;
  const ids = idArray(gone.map(({ node_id }) => node_id));
  await connection.run(toStatement(settleAgain(ch`hasAny(s.node_ids, ${ids})`)).query);
  await connection.run(toStatement(ch`delete from settled_conversations where hasAny(node_ids, ${ids})`).query);
}

/** Marks the hours of which totals were made from what nodes reported. */
async function markHours(connection: Connection, ids: Part): Promise<void> {
  const hours = await connection.read<{ cluster_id: string; hour_s: number }>(ch`
    select distinct toString(r.cluster_id) as cluster_id, toUnixTimestamp(r.bucket_at) as hour_s from rollup_hours as r where r.node_id in ${ids}`);
  const rows = hours.map(({ cluster_id, hour_s }) => ({
    cluster_id,
    bucket_at: new Date(hour_s * 1000).toISOString(),
  }));
  const columns = { cluster_id: 'uuid', bucket_at: 'timestamptz' } as const;
  if (rows.length > 0) await db.execute(buildMarkInsert(unnestRows(columns, 'bucket_at', rows)));
}

/** What nodes that are gone have left. */
async function deleteNodes(connection: Connection): Promise<number> {
  let total = 0;
  for (const table of ['flows', 'rollup_minutes', 'rollup_hours', 'unresolved_minutes']) {
    const gone = await findDeletedNodes(connection, table, 'toString(t.node_id)');
    if (gone.length === 0) continue;
    const ids = idArray(gone.map(({ node_id }) => node_id));
    const remove = () => connection.run(toStatement(ch`delete from ${raw(table)} where node_id in ${ids}`).query);
    if (table !== 'rollup_hours') await remove();
    else {
      // Totals are made again after this, also when it is interrupted: then the rows, and their marks, are found again.
      await db.transaction(async (tx) => {
        await lockTrafficSums(tx);
        await markHours(connection, ids);
        await remove();
      });
    }
    total += gone.reduce((sum, { rows }) => sum + rows, 0);
  }
  await deleteReports(connection);
  return total;
}

/** Deletes what is expired: whole partitions, and what nodes that are gone have left. */
export const retainFlows =
  (connection: Connection): FlowUpkeep['retain'] =>
  async ({ now, flow_hours }, signal) => {
    const ago = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
    const before = (ms: number) => ch`t.bucket_at < ${second(ms)}`;
    const gone = await deleteNodes(connection);
    const hoursFrom = now - HOURLY_HOURS * HOUR_MS;
    await forgetDays(hoursFrom);
    await checkDays(connection);
    await dropPartitions(connection, 'counted_days', ch`t.day < toDate(${second(hoursFrom)})`, signal);
    return {
      traffic_flows: await dropFlows(connection, ago(flow_hours), signal),
      traffic_conversations: await deleteAged(
        { table: openConversations, at: 'last_seen_at' },
        ago(OPEN_HOURS),
        signal,
      ),
      // Hours are added up as flows come.
      minutes_moved: await dropPartitions(connection, 'rollup_minutes', before(minuteCutoff(now)), signal),
      flow_unresolved_minutes: await dropPartitions(
        connection,
        'unresolved_minutes',
        before(minuteCutoff(now)),
        signal,
      ),
      flow_rollup_hours: await dropPartitions(connection, 'rollup_hours', before(hoursFrom), signal),
      ...(await retainOthers({ now, flow_hours }, signal)),
      rows_of_gone_nodes: gone + (await deleteGoneNodes(['interface_samples', 'interface_traffic'], signal)),
    };
  };
