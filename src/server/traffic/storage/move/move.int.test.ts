import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { db, sqlClient, withTransaction } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { env } from '@/server/lib/env';
import { makeClickhouseFlowStore } from '../clickhouse/clickhouse-flow-store';
import type { Connection } from '../clickhouse/connection';
import { SETTLED_TABLES } from '../clickhouse/migrations';
import { OWN_TABLES, startTestClickhouse } from '../clickhouse/test-clickhouse.fixture';
import { type Heartbeat, HOUR, type Inventory, makeInventory, NOW } from '../contract/flow-history.fixture';
import { findMissingUntil } from '../flow-storage';
import { postgresFlowStore } from '../postgres/postgres-flow-store';
import { whileFlowsMove } from './during-move';
import type { Stores } from './move-days';
import { moveToClickhouse } from './move-to-clickhouse';
import { moveToPostgres } from './move-to-postgres';
import {
  fillLearnedEnds,
  listSettled,
  makeMovedHistory,
  readAnswers,
  storeMovedHistory,
} from './moved-history.fixture';

const { server, connection } = await startTestClickhouse();
const client = postgres(env().DATABASE_URL ?? '', { max: 3, onnotice: () => {} });
afterAll(() => client.end());
const store_id = crypto.randomUUID();

const inPostgres = whileFlowsMove(postgresFlowStore, 'postgres');
const inClickhouse = whileFlowsMove(makeClickhouseFlowStore(connection, { gap_ms: 0 }), 'clickhouse');

/** @param engine the store that flows are in from then on, as the record has it */
async function clear(engine: 'postgres' | 'clickhouse'): Promise<void> {
  for (const table of [...OWN_TABLES, ...SETTLED_TABLES, 'flow_expiry'])
    await connection.run(`truncate table ${table}`);
  await sqlClient()`truncate open_conversations, flow_outbox, traffic_marks, traffic_owners, traffic_by_workload, traffic_totals, flow_storage,
    flow_moves, flow_move_days, traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes,
    flow_hour_totals, flow_complete_hours`;
  await sqlClient()`insert into flow_storage (engine) values (${engine})`;
}

/** Counts writes, after the last of which the process dies: what was written is there. */
function makeDeath(writes: number) {
  let left = writes;
  return async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    left -= 1;
    if (left === 0) throw new Error('killed');
    return done;
  };
}

const isMoved = (statement: string) => statement.includes('move partition');

function dieInClickhouse(writes: number): Stores {
  const count = makeDeath(writes);
  const dying: Connection = {
    ...connection,
    insert: (into, batch) => count(connection.insert(into, batch)),
    run: (statement, settings, id) => {
      const work = connection.run(statement, settings, id);
      return isMoved(statement) ? count(work) : work;
    },
  };
  return { client, connection: dying, store_id };
}

/** Of PostgreSQL transactions count, and changes outside of them. */
function dieInPostgres(writes: number): Stores {
  const count = makeDeath(writes);
  const dying = new Proxy(client, {
    get(target, name) {
      if (name === 'begin') {
        return (...args: unknown[]) => count(Reflect.apply(target.begin as never, target, args) as Promise<unknown>);
      }
      if (name !== 'unsafe') return Reflect.get(target, name);
      return (text: string, ...rest: unknown[]) => {
        const work = Reflect.apply(target.unsafe as never, target, [text, ...rest]) as Promise<unknown>;
        return /^\s*(insert|update|truncate)/.test(text) ? count(work) : work;
      };
    },
  });
  return { client: dying, connection, store_id };
}

/** `lives`: how many writes a process survives. In ClickHouse one more page arrives each time, and is not noted. */
const DIRECTIONS = [
  {
    to: 'clickhouse',
    before: inPostgres,
    after: inClickhouse,
    move: moveToClickhouse,
    die: dieInClickhouse,
    lives: [2],
  },
  {
    to: 'postgres',
    before: inClickhouse,
    after: inPostgres,
    move: moveToPostgres,
    die: dieInPostgres,
    lives: [2, 3, 4],
  },
] as const;

let asked = Date.now();
/** As lists have it: they read it again after some seconds. */
async function readMissingUntil(): Promise<string | null> {
  asked += 60_000;
  const now = vi.spyOn(clock, 'now').mockReturnValue(new Date(asked));
  try {
    return await findMissingUntil();
  } finally {
    now.mockRestore();
  }
}

async function countLeft(store: typeof inPostgres): Promise<number> {
  if (store === inPostgres) {
    return (await sqlClient()`select 1 from traffic_flows union all select 1 from flow_rollup_hours`).length;
  }
  const counts = OWN_TABLES.map((name) => `(select count() from ${name})`);
  return Number(await server?.run(`select ${counts.join(' + ')}`));
}

describe.skipIf(server === null).each(DIRECTIONS)('a move to $to', ({ to, before, after, move, die, lives }) => {
  let inventory: Inventory;
  let history: Heartbeat[];
  /** Of an installation whose flows were there from the beginning: how many were new, and what it answers. */
  let fresh: number;
  let expected: Record<string, string[]>;
  /** When a workload goes to another tenant: before and after the switch. */
  const store = (from: number, until: number, at: typeof inPostgres) => {
    const leavesAt = [history[history.length >> 2], history[(history.length * 3) >> 2]] as Heartbeat[];
    return storeMovedHistory(at, history.slice(from, until), inventory, leavesAt);
  };

  beforeAll(async () => {
    inventory = await makeInventory();
    history = makeMovedHistory(31, 24, inventory);
    await clear(to);
    fresh = await store(0, history.length, after);
    await after.upkeep.retain({ now: NOW, flow_hours: 99 });
    await fillLearnedEnds(after, inventory);
    expected = await readAnswers(after, inventory);
    await clear(to === 'postgres' ? 'clickhouse' : 'postgres');
  });

  it('gives the answers of flows that were there from the beginning, killed after any write, while heartbeats continue', async () => {
    const half = history.length >> 1;
    let stored = await store(0, half, before);
    await before.upkeep.retain({ now: NOW, flow_hours: 99 });
    const settled = await listSettled(before);
    // A writer that has not committed when the switch begins is waited for.
    let next = half + 6;
    const writer = db.transaction((tx) =>
      withTransaction(tx, async () => {
        const written = await store(half, next, { ...before, deliver: async () => {} });
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return written;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 750));
    let deaths = 0;
    const missing = new Set<string | null>();
    for (;;) {
      try {
        await move(die(lives[deaths % lives.length] ?? 2), { keep: false, page_rows: 20, fillEnds: async () => {} });
        break;
      } catch (error) {
        expect(String((error as Error).cause ?? error)).toContain('killed');
        deaths += 1;
      }
      const [switched] = await sqlClient()`select 1 from flow_moves where switched_at is not null`;
      if (switched) missing.add(await readMissingUntil());
      if (!switched || next === history.length) continue;
      await expect(store(next, next + 1, before)).rejects.toThrow('Flows are stored in another store');
      const until = Math.min(next + 3, history.length);
      stored += await store(next, until, after);
      next = until;
    }
    expect(deaths).toBeGreaterThan(5);
    // Lists say until when traffic can be missing.
    expect([...missing].some((until) => until !== null && Date.parse(until) > NOW - 24 * HOUR)).toBe(true);
    expect(await readMissingUntil()).toBeNull();
    stored += await writer;
    stored += await store(next, history.length, after);
    await fillLearnedEnds(after, inventory);
    expect(stored).toBe(fresh);
    const found = await readAnswers(after, inventory);
    for (const [name, rows] of Object.entries(expected)) {
      expect(found[name], name).toEqual(rows);
      expect(rows.length, name).toBeGreaterThan(0);
    }
    // Records of a conversation go on from the last one: nothing that was forwarded is newer than what comes.
    const now = new Map((await listSettled(after)).map((one) => [one.id, one]));
    const same = settled.filter(({ id, revision }) => now.get(id)?.revision === revision);
    expect(settled.filter(({ id, revision }) => (now.get(id)?.revision ?? 0) < revision)).toEqual([]);
    expect(same.map(({ id }) => now.get(id)?.due_at)).toEqual(same.map(({ due_at }) => due_at));
    expect(same.length > 0).toBe(to === 'postgres');
    expect(await countLeft(before)).toBe(0);
  });
});
