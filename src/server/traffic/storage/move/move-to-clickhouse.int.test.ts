import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { db, sqlClient, withTransaction } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { findChdbProblem, startChdb } from '@/test/chdb-server';
import { makeClickhouseFlowStore } from '../clickhouse/clickhouse-flow-store';
import { type Connection, connectTo } from '../clickhouse/connection';
import { migrateClickhouse } from '../clickhouse/migrate';
import { type Heartbeat, type Inventory, makeInventory, NOW } from '../contract/flow-history.fixture';
import { postgresFlowStore } from '../postgres/postgres-flow-store';
import { whileFlowsMove } from './during-move';
import { type MoveOptions, moveToClickhouse } from './move-to-clickhouse';
import { fillLearnedEnds, makeMovedHistory, readAnswers, storeMovedHistory } from './moved-history.fixture';

const server = findChdbProblem() === null ? await startChdb() : null;
const connection = connectTo(server?.url ?? '');
if (server) await migrateClickhouse(connection);
const client = postgres(env().DATABASE_URL ?? '', { max: 3, onnotice: () => {} });
afterAll(async () => {
  await client.end();
  await server?.stop();
});

const inPostgres = whileFlowsMove(postgresFlowStore);
const inClickhouse = whileFlowsMove(makeClickhouseFlowStore(connection, { gap_ms: 0 }));

async function clear(): Promise<void> {
  for (const table of ['flows', 'rollup_minutes', 'rollup_hours', 'unresolved_minutes', 'flow_expiry']) {
    await connection.run(`truncate table ${table}`);
  }
  await sqlClient()`truncate open_conversations, flow_outbox, traffic_marks, traffic_owners, traffic_by_workload, traffic_totals, flow_storage,
    flow_moves, flow_move_days, traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes`;
}

/** A ClickHouse after whose next few writes of the move the process dies: what was written is there. */
function dieAfter(writes: number): Connection {
  let left = writes;
  const count = async (work: Promise<void>) => {
    await work;
    left -= 1;
    if (left === 0) throw new Error('killed');
  };
  return {
    ...connection,
    insert: (into, batch) => count(connection.insert(into, batch)),
    run: (statement, settings, id) => {
      const work = connection.run(statement, settings, id);
      return statement.includes('move partition') ? count(work) : work;
    },
  };
}

describe.skipIf(server === null)('a move to ClickHouse', () => {
  let inventory: Inventory;
  let history: Heartbeat[];
  /** Of an installation whose flows were in ClickHouse from the beginning: how many were new, and what it answers. */
  let fresh: number;
  let expected: Record<string, string[]>;
  /** When a workload goes to another tenant: before and after the switch. */
  const store = (from: number, to: number, at: typeof inPostgres) => {
    const leavesAt = [history[history.length >> 2], history[(history.length * 3) >> 2]] as Heartbeat[];
    return storeMovedHistory(at, history.slice(from, to), inventory, leavesAt);
  };
  const move = (options: Partial<MoveOptions>, at: Connection = connection) =>
    moveToClickhouse({ client, connection: at }, { keep: false, page_rows: 20, fillEnds: async () => {}, ...options });

  beforeAll(async () => {
    inventory = await makeInventory();
    history = makeMovedHistory(31, 24, inventory);
    await clear();
    fresh = await store(0, history.length, inClickhouse);
    await inClickhouse.upkeep.retain({ now: NOW, flow_hours: 99 });
    await fillLearnedEnds(inClickhouse, inventory);
    expected = await readAnswers(inClickhouse, inventory);
    await clear();
  });

  it('gives the answers of flows that were in ClickHouse from the beginning, killed after every write, while heartbeats continue', async () => {
    const half = history.length >> 1;
    let stored = await store(0, half, inPostgres);
    await inPostgres.upkeep.retain({ now: NOW, flow_hours: 99 });
    // A writer that has not committed when the switch begins is waited for.
    let next = half + 6;
    const writer = db.transaction((tx) =>
      withTransaction(tx, async () => {
        const written = await store(half, next, inPostgres);
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return written;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 750));
    let deaths = 0;
    for (;;) {
      try {
        // Each time one more page arrives, and dies before that is noted.
        await move({}, dieAfter(2));
        break;
      } catch (error) {
        expect(String(error)).toContain('killed');
        deaths += 1;
      }
      await expect(store(next, next + 1, inPostgres)).rejects.toThrow('Flows are stored in another store');
      const to = Math.min(next + 3, history.length);
      stored += await store(next, to, inClickhouse);
      next = to;
    }
    expect(deaths).toBeGreaterThan(5);
    stored += await writer;
    stored += await store(next, history.length, inClickhouse);
    await fillLearnedEnds(inClickhouse, inventory);
    expect(stored).toBe(fresh);
    const found = await readAnswers(inClickhouse, inventory);
    for (const [name, rows] of Object.entries(expected)) {
      expect(found[name], name).toEqual(rows);
      expect(rows.length, name).toBeGreaterThan(0);
    }
    expect(await sqlClient()`select 1 from traffic_flows union all select 1 from flow_rollup_hours`).toHaveLength(0);
  });
});
