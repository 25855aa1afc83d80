import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import {
  HOUR,
  type Inventory,
  iso,
  makeInventory,
  makeSharedConnection,
  NOW,
  storeFlows,
  toValidFlow,
} from '../contract/flow-history.fixture';
import { EVERYTHING } from '../contract/selections.fixture';
import type { FlowNode } from '../flow-rows';
import { makeClickhouseFlowStore } from './clickhouse-flow-store';
import { raw } from './statement';
import { startTestClickhouse } from './test-clickhouse.fixture';

const { server, connection, clear } = await startTestClickhouse();

const DAY = 24 * HOUR;
const { now } = clock;
afterAll(() => {
  clock.now = now;
});

/** Whatever happens while days are counted, a total has everything that was stored, once. */
describe.skipIf(server === null)('days counted in advance', () => {
  const store = makeClickhouseFlowStore(connection, { gap_ms: 0 });
  const range = { since: NOW - (NOW % DAY) - 3 * DAY, until: NOW + 2 * DAY };
  let inventory: Inventory;
  let stored = 0;

  beforeEach(async () => {
    clock.now = () => new Date(range.until + 2 * HOUR);
    await clear();
    inventory = await makeInventory();
    stored = 0;
    for (const hours of [1, 30]) await report(hours);
  });

  /** A connection that both nodes report. */
  async function report(hoursAgo: number): Promise<void> {
    stored += 1;
    const seen = makeSharedConnection(40_000 + stored, NOW - hoursAgo * HOUR);
    for (const node of [0, 1]) {
      const values = {
        ...{ node, from_client: true, decision: 'observed' as const },
        state: 'ESTABLISHED',
        packets: 1,
      };
      const flows = [toValidFlow(seen, { ...values, bytes: 100, at: seen.begin + node }, inventory)];
      await storeFlows(store, inventory.nodes[node] as FlowNode, flows, iso(NOW));
    }
  }
  const sum = async (by = store) => {
    while (!(await by.upkeep.sum()).done);
  };
  const readFlows = async () => {
    const times = { since: iso(range.since), until: iso(range.until) };
    const selection = { ...EVERYTHING, ...times, visible: 'all', prefixes: 'all', periods: [], named: [] } as const;
    return (await store.groups({ ...selection, filter: {} }, 'hours', { group_by: 'workloads', limit: 9 } as never))
      .sums.flows;
  };
  const countDays = async () => (await connection.read(raw('select distinct day from counted_days'))).length;

  it('replace their hours when pages are read', async () => {
    await sum();
    await connection.run('truncate table rollup_hours');
    expect([await readFlows(), await countDays()]).toEqual([2, 2]);
  });

  it('include those without traffic, which are counted when there is some', async () => {
    await sum();
    expect((await sqlClient()`select from flow_counted_days`).length).toBeGreaterThan(390);
    await report(60);
    expect(await readFlows()).toBe(3);
    await sum();
    expect([await readFlows(), await countDays()]).toEqual([3, 3]);
  });

  it('contain what is reported while they are counted', async () => {
    const slow = makeClickhouseFlowStore({
      ...connection,
      run: async (statement, ...rest) => {
        if (stored === 2 && statement.includes('replace partition')) await report(1);
        return connection.run(statement, ...rest);
      },
    });
    await sum(slow);
    expect([stored, await readFlows()]).toEqual([3, 3]);
    await sum();
    await connection.run('truncate table rollup_hours');
    expect(await readFlows()).toBe(3);
  });

  it.each(['before', 'after'])('stay whole when the process is killed %s a statement', async (when) => {
    const statements: string[] = [];
    const fragile = makeClickhouseFlowStore({
      ...connection,
      run: async (statement, ...rest) => {
        const kind = statement.trim().slice(0, 25);
        const isKilled = !statements.includes(kind);
        if (isKilled) statements.push(kind);
        if (!isKilled || when === 'after') await connection.run(statement, ...rest);
        if (isKilled) throw new Error('killed');
      },
    });
    for (let kills = 0; ; kills++) {
      // What was counted before changes.
      await report(1);
      const isDone = await sum(fragile).then(
        () => true,
        () => false,
      );
      expect(await readFlows()).toBe(stored);
      if (!isDone) continue;
      expect(kills).toBe(3);
      break;
    }
  });

  it('come again when ClickHouse does not have them any more', async () => {
    await sum();
    await connection.run('truncate table counted_days');
    await store.upkeep.retain({ now: clock.now().getTime(), flow_hours: 9_999 });
    expect([await readFlows(), await countDays()]).toEqual([2, 0]);
    await sum();
    expect([await readFlows(), await countDays()]).toEqual([2, 2]);
  });

  it('end with their hours', async () => {
    await sum();
    await store.upkeep.retain({ now: NOW + 402 * DAY, flow_hours: 9_999_999 });
    expect(await countDays()).toBe(0);
    expect(await sqlClient()`select day_at from flow_counted_days where day_at < ${iso(NOW)}`).toEqual([]);
  });
});
