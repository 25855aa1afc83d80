import { sql as text } from 'drizzle-orm';
import { beforeAll, expect, it } from 'vitest';
import { readRows } from '@/domain/topology/conversation-table';
import { db, sqlClient } from '@/server/db/client';
import { cacheStats } from '@/server/lib/cache';
import { overrideConstant } from '@/test/override-constant';
import {
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  NOW,
  OTHER_SUBNET,
  SUBNET,
  storeHistory,
} from '../contract/flow-history.fixture';
import { EVERYTHING, listFilters, listReaches, makeFilter } from '../contract/selections.fixture';
import type { ConversationFilter } from '../flow-rows';
import type { FlowReach } from '../flow-selection';
import { sumConversations } from './conversations';
import { KEPT_EDGES } from './edges';
import { postgresFlowStore as store } from './postgres-flow-store';
import { countedRollups } from './rollup-conditions';

const sql = sqlClient();
let inventory: Inventory;
const storeMore = (seed: number) =>
  storeHistory(store, makeHeartbeats(makeConnections(seed, 30, inventory), seed, false), inventory);
const sumAll = async () => {
  while (!(await store.upkeep.sum()).done);
};
const countKept = () => cacheStats().find(({ name }) => name === 'conversation_hours') ?? { hits: 0, misses: 0 };

beforeAll(async () => {
  inventory = await makeInventory();
  await storeMore(1);
  await sumAll();
});

/** Readers of whom everything is kept, in two ranges. */
function listKept(): FlowReach[] {
  const { everything, 'two workloads and one subnet': two } = listReaches(inventory);
  return [everything, two].filter((reach) => reach !== undefined);
}

/**
 * Compares with what was read of the minutes alone, which no total can have changed.
 * @param everyone also readers and filters that take turns in what is kept
 */
async function expectSame(everyone = false, readers = everyone ? Object.values(listReaches(inventory)) : listKept()) {
  let rows = 0;
  const ranges = [
    { since: NOW - 3 * HOUR, until: NOW },
    { since: NOW - 2.5 * HOUR, until: NOW - HOUR / 2 },
  ];
  const [first = '', second = ''] = inventory.workloads.map(({ id }) => id);
  const asked: ConversationFilter[] = [
    { hosts: true },
    {},
    { hosts: true, at: [first, second] },
    { from_outside: true },
  ];
  for (const reach of readers) {
    for (const { since, until } of ranges) {
      for (const filter of everyone ? [{}, ...listFilters(1, 2, inventory, makeFilter)] : [{}]) {
        const selection = { ...reach, ...EVERYTHING, since: iso(since), until: iso(until), named: [], filter };
        for (const one of asked) {
          const minutes = text`select t.*, t.bucket_at as last_counted_at from (${countedRollups(selection, 'minutes')}) as t`;
          const expected = await sumConversations(db, minutes, selection, { filter: one, limit: text`` });
          const { table, complete } = await store.edges(selection, 'minutes', one);
          const toComparable = (row: object) => JSON.stringify(Object.entries(row).sort());
          expect(readRows(table).map(toComparable).sort()).toEqual(expected.map(toComparable).sort());
          expect(complete).toBe(true);
          rows += table.size;
        }
      }
    }
  }
  return rows;
}

it('answers as if it had read everything, whatever it keeps and whatever changes', async () => {
  expect(await expectSame(true)).toBeGreaterThan(200);
  await expectSame();
  const { misses } = countKept();
  await expectSame();
  expect(countKept().misses).toBe(misses);
  // What comes late is there before its hour is complete again, and after it.
  await storeMore(2);
  await expectSame();
  await sumAll();
  await expectSame();
  await sql`delete from flow_complete_hours where bucket_at = ${iso(NOW - 3 * HOUR)}::timestamptz`;
  await expectSame();
  await sumAll();
  await expectSame();
});

it('keeps nothing of one reader for another, of whom they differ in one thing only', async () => {
  const [first = '', second = ''] = inventory.workloads.map(({ id }) => id);
  const readers = [
    { visible: [first], prefixes: [] },
    { visible: [second], prefixes: [] },
    { visible: [first], prefixes: [SUBNET] },
    { visible: [first], prefixes: [SUBNET, OTHER_SUBNET] },
    { visible: 'all' as const, prefixes: [] },
  ].map((reach) => ({ ...reach, periods: [] }));
  for (const reader of readers) for (const other of readers) await expectSame(false, [reader, other]);
});

it('reads complete hours once, for ranges that have the same ones', async () => {
  const [reach] = Object.values(listReaches(inventory));
  if (!reach) throw new Error('expected a reader');
  const ask = async (minutes: number) => {
    const since = iso(NOW - 3 * HOUR - minutes * 60_000);
    await store.edges({ ...reach, ...EVERYTHING, since, named: [], filter: { since } }, 'minutes');
    return countKept();
  };
  const first = await ask(25);
  const second = await ask(20);
  expect([second.misses, second.hits]).toEqual([first.misses, first.hits + 1]);
  await sql`insert into traffic_marks (cluster_id, bucket_at) select cluster_id, bucket_at from flow_complete_hours
    where bucket_at = ${iso(NOW - 3 * HOUR)}::timestamptz`;
  expect((await ask(15)).misses).toBe(first.misses + 1);
});

it.each([{ rows: 3 }, { open_hours: -1 }])(
  'reads everything when there is too much to be kept, or to be read beside it: %o',
  async (limits) => {
    await storeMore(3);
    await sumAll();
    const restore = overrideConstant(KEPT_EDGES, limits);
    const { misses, hits } = countKept();
    await expectSame(true);
    if (limits.open_hours === -1) expect(countKept()).toMatchObject({ misses, hits });
    restore();
  },
);
