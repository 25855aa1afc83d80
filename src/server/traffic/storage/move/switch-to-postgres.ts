import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { Db, Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { unnestRows } from '../../../db/unnest-rows';
import { AppError } from '../../../lib/errors';
import { makeDelivery } from '../clickhouse/outbox';
import { lockTrafficSums } from '../postgres/hours-to-sum';
import { readConversationFlows } from './clickhouse-history';
import { FEW, LOCK_PATIENCE, MOST_ROUNDS, type Stores, tryUntilFree } from './move-days';
import type { Move } from './move-record';
import { type OpenState, toMovedFlow } from './moved-rows';
import { placeFlows, stageFlows } from './postgres-staging';

/** Conversations of one transaction. */
const CHUNK = 1_000;

/** A conversation that may continue, as of a change; `is_known`: an earlier state of it has been copied. */
type Changed = { id: string; conversation_key: string; revision: number; is_known: boolean };

/** Conversations that changed since they were copied, those that began since, and the ids of those that are parts of others by now. */
async function listChanged(executor: Executor): Promise<{ changed: Changed[]; gone: string[] }> {
  const changed = await executor.execute<Changed>(sql`
    select o.id, o.conversation_key, o.revision, m.id is not null as is_known
    from open_conversations as o left join moving_conversations as m on m.id = o.id
    where m.revision is distinct from o.revision order by o.id`);
  const gone = await executor.execute<{ id: string }>(sql`
    select m.id from moving_conversations as m where not exists (select 1 from open_conversations as o where o.id = m.id)`);
  return { changed: [...changed], gone: gone.map(({ id }) => id) };
}

async function removeCopies(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const these = pgArray('uuid', ids);
  await tx.execute(sql`delete from traffic_flows where conversation_id = any (${these})`);
  await tx.execute(sql`delete from traffic_conversations where id = any (${these})`);
  await tx.execute(sql`delete from moving_conversations where id = any (${these})`);
}

const COPIED = { id: 'uuid', revision: 'int' } as const;

/** Copies conversations with all of their flows. ClickHouse has at least what they had as of the change. */
async function copyChunk({ connection }: Stores, tx: Tx, chunk: readonly Changed[]): Promise<void> {
  const flows = await readConversationFlows(
    connection,
    chunk.map(({ id }) => id),
  );
  const keys = [...new Set(chunk.map(({ conversation_key }) => conversation_key))];
  const open = await tx.execute<OpenState & { id: string }>(sql`
    select id, ordinal, is_final, reports from open_conversations where conversation_key = any (${pgArray('uuid', keys)})`);
  const states = new Map(open.map((one) => [one.id, one]));
  await removeCopies(
    tx,
    chunk.filter(({ is_known }) => is_known).map(({ id }) => id),
  );
  // A conversation that is gone by now is copied by the next round, with what it is a part of.
  const rows = flows
    .filter(({ conversation_id }) => states.has(conversation_id))
    .map((flow) => toMovedFlow(flow, states.get(flow.conversation_id)));
  await tx.execute(sql`select set_config('fabric.copies_flows', 'yes', true)`);
  if (rows.length > 0) {
    await stageFlows(tx, rows);
    await placeFlows(tx, sql`true`);
    await tx.execute(sql`delete from moving_flows`);
  }
  const copied = chunk.map(({ id, revision }) => ({ id, revision }));
  await tx.execute(
    sql`insert into moving_conversations (id, revision) select r.* from ${unnestRows(COPIED, 'id', copied)} as r`,
  );
}

/**
 * Copies what changed since the last time. First what has changed, then what is on its way: ClickHouse has at least that when it is read.
 * @returns how many conversations
 */
async function copyChanged(
  stores: Stores,
  executor: Executor,
  inChunk: (work: (tx: Tx) => Promise<void>) => Promise<void>,
) {
  const { changed, gone } = await listChanged(executor);
  await makeDelivery(stores.connection, { gap_ms: 0 })(null);
  if (gone.length > 0) await inChunk((tx) => removeCopies(tx, gone));
  for (let from = 0; from < changed.length; from += CHUNK) {
    await inChunk((tx) => copyChunk(stores, tx, changed.slice(from, from + CHUNK)));
  }
  return changed.length;
}

const WAITING =
  'Reports are still on their way to ClickHouse. Check that it answers (fabric doctor), and run the command again.';
const describeRefused = (reports: number) =>
  `ClickHouse refused ${reports} reports, which have not been stored (fabric doctor): they would be left behind. Send them again with fabric flow-store retry, or drop them: DELETE FROM refused_flows.`;

/** @throws AppError `refused` when reports would be left behind that ClickHouse cannot read */
async function assertNothingRefused(executor: Executor): Promise<void> {
  const [row] = await executor.execute<{ reports: number }>(sql`select count(*)::int as reports from refused_flows`);
  if (row?.reports) throw new AppError('refused', describeRefused(row.reports));
}

/** The rest, and the switch itself: no flows are stored until it is done, and a writer that waited for it is refused. */
const finishSwitch = (stores: Stores, db: Db, { id }: Move): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.execute(sql.raw(`set local lock_timeout = '${LOCK_PATIENCE}'`));
    // Whatever stores flows, ends conversations or joins them begins here, and what corrects totals takes the other lock.
    await tx.execute(sql`lock table open_conversations in access exclusive mode`);
    await lockTrafficSums(tx);
    await copyChanged(stores, tx, (work) => work(tx));
    // What was refused may have been put back in the meantime.
    await tx.execute(sql`lock table flow_outbox, refused_flows in exclusive mode`);
    const [waiting] = await tx.execute(sql`select 1 from flow_outbox limit 1`);
    if (waiting) throw new AppError('unavailable', WAITING);
    await assertNothingRefused(tx);
    await tx.execute(sql`
      update traffic_conversations as c set is_merge_due = true from open_conversations as o where o.is_merge_due and c.id = o.id`);
    // What still stores in ClickHouse joins nothing there any more, and every report is new to it.
    await tx.execute(sql`truncate open_conversations`);
    await tx.execute(sql`delete from flow_storage`);
    await tx.execute(sql`insert into flow_storage (engine) values ('postgres')`);
    await tx.execute(sql`update flow_moves set switched_at = clock_timestamp() where id = ${id}`);
  });

/**
 * Has flows stored in PostgreSQL from now on, with the conversations that may continue and all of their flows: what is reported next adds
 * to them. Writers wait for seconds; processes that still store in ClickHouse are refused from then on.
 */
export async function switchToPostgres(stores: Stores, move: Move): Promise<void> {
  const db = drizzle(stores.client);
  await assertNothingRefused(db);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const copied = await copyChanged(stores, db, (work) => db.transaction(work));
    if (copied < FEW) break;
  }
  await tryUntilFree(() => finishSwitch(stores, db, move));
}
