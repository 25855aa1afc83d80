import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { SECOND_MS } from '@/domain/durations';
import { WINDOW_SECONDS } from '@/domain/flow/plan-range';
import { db, type Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { flowOutbox, type OutboxTarget, refusedFlows } from '../../../db/schema/flow-outbox';
import { trafficMarks } from '../../../db/schema/traffic';
import { logger } from '../../../lib/logger';
import type { FlowNode } from '../flow-rows';
import { type Connection, createOutage } from './connection';
import { findRefusal } from './guard-connection';
import { INCOMING_COLUMNS } from './incoming-rows';

/** Rows of one insert, about. */
const BATCH_ROWS = 100_000;
/** An insert costs ClickHouse a part of each table, however few rows it has: heartbeats that come soon after each other share one. */
const GAP_MS = 250;
const POLL_MS = 50;
const PATIENCE_MS = 30 * SECOND_MS;

const WINDOW_MS = WINDOW_SECONDS * SECOND_MS;

type NewRows = {
  target?: OutboxTarget;
  rows: Buffer;
  row_count: number;
  /** When what changes totals was seen. */
  observed: readonly string[];
};

const FORMATS: Readonly<Record<OutboxTarget, string>> = {
  incoming_flows: `(${INCOMING_COLUMNS}) FORMAT Native`,
  incoming_ends: 'FORMAT JSONEachRow',
  incoming_moves: 'FORMAT JSONEachRow',
};

/** Writes rows that count once the transaction is committed. */
export async function addToOutbox(
  tx: Tx,
  { node_id, cluster_id }: FlowNode,
  { target = 'incoming_flows', rows, row_count, observed }: NewRows,
): Promise<void> {
  const slots = new Set(observed.map((at) => Math.floor(Date.parse(at) / WINDOW_MS) * WINDOW_MS));
  const buckets = [...slots].map((slot) => new Date(slot).toISOString());
  await tx.insert(flowOutbox).values({ node_id, cluster_id, target, row_count, rows, buckets });
}

/** The same for few rows, as objects. */
export async function addObjectsToOutbox(
  tx: Tx,
  node: FlowNode,
  target: Exclude<OutboxTarget, 'incoming_flows'>,
  rows: readonly object[],
  observed: readonly string[] = [],
): Promise<void> {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  if (rows.length > 0) {
    await addToOutbox(tx, node, { target, rows: Buffer.from(text), row_count: rows.length, observed });
  }
}

/** Puts what waits up to a row into a batch. What several processes do at the same time falls into different ones. */
async function claimBatch(upTo: string): Promise<boolean> {
  const claimed = await db.execute(sql`
    with free as materialized (
      select id, sum(row_count) over (order by id) - row_count as before from (
        select id, row_count from ${flowOutbox} where batch is null and id <= ${upTo}::bigint
          and target = (select target from ${flowOutbox} where batch is null order by id limit 1)
        order by id limit 1000 for update skip locked) as f)
    update ${flowOutbox} as o set batch = (select min(id) from free) from free
    where o.id = free.id and free.before < ${BATCH_ROWS} returning o.id`);
  return claimed.length > 0;
}

type Waiting = { id: number; rows: Buffer };

/** Reports that are taken out at most. When more are refused, the fault is not theirs, and agents keep what they have. */
const MOST_REFUSED = 100;

/**
 * Takes out what ClickHouse refuses permanently: of several reports each is sent by itself from now on, and a single one is kept elsewhere. Nothing
 * of a batch that could not be read was stored, so names of their own count nothing twice.
 * @returns false when so much has been refused that it stays where it is
 */
async function takeOut(tx: Tx, ids: readonly number[], reason: string): Promise<boolean> {
  const these = pgArray('bigint', ids);
  if (ids.length > 1) {
    await tx.execute(sql`update ${flowOutbox} set batch = id where id = any (${these})`);
    return true;
  }
  const [set] = await tx.execute<{ node_id: string; row_count: number }>(sql`
    with gone as (delete from ${flowOutbox} where id = any (${these}) and (select count(*) from ${refusedFlows}) < ${MOST_REFUSED}
      returning node_id, cluster_id, token, target, created_at, row_count, buckets, rows)
    insert into ${refusedFlows} (node_id, cluster_id, token, target, created_at, row_count, buckets, rows, reason)
    select gone.*, ${reason} from gone returning node_id, row_count`);
  if (set) logger.error({ ...set, reason }, 'ClickHouse refuses a report; it is kept in PostgreSQL (refused_flows)');
  return set !== undefined;
}

/**
 * Sends the oldest batch that no other process is sending, and deletes it: what changes totals is marked in the same transaction, after
 * it has arrived. What ClickHouse cannot read is taken out. Interrupted anywhere, the batch stays and is sent again with the same rows and the same name.
 * @returns whether there was one
 */
function sendBatch(connection: Connection): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [first] = await tx.execute<{ batch: string; token: string; target: OutboxTarget }>(
      sql`select batch, token, target from ${flowOutbox} where batch is not null and id = batch order by batch limit 1 for update skip locked`,
    );
    if (!first) return false;
    const batch = Number(first.batch);
    const waiting = await tx.execute<Waiting>(
      sql`select id, rows from ${flowOutbox} where batch = ${batch} order by id for update`,
    );
    try {
      await connection.insert(`${first.target} ${FORMATS[first.target]}`, {
        name: first.token,
        blocks: waiting.map(({ rows }) => rows),
      });
    } catch (error) {
      const refusal = findRefusal(error);
      const ids = waiting.map(({ id }) => id);
      if (refusal !== null && (await takeOut(tx, ids, refusal))) return true;
      throw error;
    }
    await tx.execute(sql`
      with gone as (
        delete from ${flowOutbox} where id = any (${pgArray(
          'bigint',
          waiting.map(({ id }) => id),
        )}) returning cluster_id, buckets)
      insert into ${trafficMarks} (cluster_id, bucket_at)
      select distinct cluster_id, bucket_at from gone cross join unnest(buckets) as b(bucket_at)`);
    return true;
  });
}

/** The newest of the rows of a node, or of any (null), that are on their way; null: there are none. */
async function findNewestWaiting(nodeId: string | null, upTo: string | null = null): Promise<string | null> {
  const rows = await db.execute<{ newest: string | null }>(
    sql`select max(id)::text as newest from ${flowOutbox} where ${nodeId === null ? sql`true` : sql`node_id = ${nodeId}::uuid`}
      and ${upTo === null ? sql`true` : sql`id <= ${upTo}::bigint`}`,
  );
  return rows[0]?.newest ?? null;
}

/**
 * Sends what waits; who comes while it is being sent waits for the same, and then for the next. What is committed after the call is
 * not waited for: with many nodes there is always some.
 */
export function makeDelivery(connection: Connection, { gap_ms = GAP_MS }: { gap_ms?: number } = {}) {
  let sending: Promise<void> | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;
  const send = async () => {
    const early = sentAt + gap_ms - performance.now();
    if (early > 0) await delay(early);
    sentAt = performance.now();
    const upTo = await findNewestWaiting(null);
    if (upTo === null) return;
    while (await sendBatch(connection)) sentAt = performance.now();
    while (await claimBatch(upTo)) {
      while (await sendBatch(connection)) sentAt = performance.now();
    }
  };
  return async (nodeId: string | null): Promise<void> => {
    const until = performance.now() + PATIENCE_MS;
    const newest = await findNewestWaiting(nodeId);
    if (newest === null) return;
    for (;;) {
      sending ??= send().finally(() => {
        sending = undefined;
      });
      await sending;
      if ((await findNewestWaiting(nodeId, newest)) === null) return;
      if (performance.now() > until) {
        throw createOutage('Flow storage (ClickHouse) is busy. The flows are kept and stored later.');
      }
      await delay(POLL_MS);
    }
  };
}
