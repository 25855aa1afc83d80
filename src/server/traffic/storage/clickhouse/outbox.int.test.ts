import { beforeEach, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import {
  type Inventory,
  iso,
  makeInventory,
  makeSharedConnection,
  NOW,
  toValidFlow,
} from '../contract/flow-history.fixture';
import { EVERYTHING } from '../contract/selections.fixture';
import type { FlowNode } from '../flow-rows';
import { makeClickhouseFlowStore } from './clickhouse-flow-store';
import type { Connection } from './connection';
import { ch } from './statement';
import { countOutbox, retryRefused } from './storage-mark';
import { startTestClickhouse } from './test-clickhouse.fixture';

const { server, connection, clear } = await startTestClickhouse();

const MINUTE = 60_000;

/** Killed anywhere between PostgreSQL and ClickHouse, or sent again: nothing is lost, nothing counts twice. */
describe.skipIf(server === null)('rows on their way to ClickHouse', () => {
  let inventory: Inventory;
  beforeEach(async () => {
    await clear();
    inventory = await makeInventory();
  });

  const getNode = (at = 0) => inventory.nodes[at] as FlowNode;
  /** A heartbeat about a connection of two workloads, which are on both nodes. */
  const append = (store: ReturnType<typeof makeClickhouseFlowStore>, port: number, node = 0) => {
    const seen = makeSharedConnection(port, NOW - 50 * MINUTE);
    const report = {
      node,
      from_client: true,
      decision: 'observed' as const,
      state: 'ESTABLISHED',
      bytes: 100,
      packets: 1,
    };
    const flows = [toValidFlow(seen, { ...report, at: NOW - 40 * MINUTE + node }, inventory)];
    return db.transaction((tx) => store.append(tx, getNode(node), flows, iso(NOW)));
  };
  const failing = (insert: Connection['insert']) => makeClickhouseFlowStore({ ...connection, insert }, { gap_ms: 0 });
  const store = makeClickhouseFlowStore(connection, { gap_ms: 0 });
  const readAll = async () => {
    const counts = await Promise.all(
      ['flows', 'rollup_minutes', 'rollup_hours'].map((table) =>
        connection.read<{ bytes: number }>(ch`select sum(bytes) as bytes from ${{ pieces: [table] }}`),
      ),
    );
    const [waiting] = await sqlClient()<{ rows: number }[]>`select count(*)::int as rows from flow_outbox`;
    const [marks] = await sqlClient()<{ rows: number }[]>`select count(*)::int as rows from traffic_marks`;
    return { bytes: counts.map(([row]) => row?.bytes ?? 0), waiting: waiting?.rows, marks: marks?.rows };
  };

  it('stay until ClickHouse has them, and mark no totals before', async () => {
    const away = failing(async () => {
      throw new Error('ClickHouse is away');
    });
    expect(await append(away, 40_001)).toBe(1);
    await expect(away.deliver(getNode().node_id)).rejects.toThrow('away');
    expect(await readAll()).toEqual({ bytes: [0, 0, 0], waiting: 1, marks: 0 });
    await store.deliver(getNode().node_id);
    expect(await readAll()).toEqual({ bytes: [100, 100, 100], waiting: 0, marks: 1 });
  });

  it('count once when the process is killed after ClickHouse has them', async () => {
    const killed = failing(async (into, batch) => {
      await connection.insert(into, batch);
      throw new Error('the process is killed');
    });
    await append(killed, 40_001);
    await append(killed, 40_002);
    for (let times = 0; times < 3; times++) {
      await expect(killed.deliver(getNode().node_id)).rejects.toThrow('killed');
    }
    expect(await readAll()).toEqual({ bytes: [200, 200, 200], waiting: 2, marks: 0 });
    // What comes later is not mixed into the batch that is sent again.
    await append(store, 40_003);
    await store.deliver(getNode().node_id);
    expect(await readAll()).toMatchObject({ bytes: [300, 300, 300], waiting: 0 });
  });

  it('count once when several processes send at the same time', async () => {
    const others = [
      store,
      makeClickhouseFlowStore(connection, { gap_ms: 0 }),
      makeClickhouseFlowStore(connection, { gap_ms: 5 }),
    ];
    await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const one = others[i % 3] as typeof store;
        await append(one, 41_000 + i);
        await one.deliver(getNode().node_id);
      }),
    );
    expect(await readAll()).toMatchObject({ bytes: [2_400, 2_400, 2_400], waiting: 0 });
  });

  it('leave to the next delivery what is committed during one', async () => {
    let more = 0;
    const busy = failing(async (into, batch) => {
      await connection.insert(into, batch);
      if (more++ < 50) await append(store, 43_000 + more);
    });
    await append(busy, 43_000);
    await busy.deliver(getNode().node_id);
    await append(busy, 43_900);
    await busy.deliver(null);
    expect(more).toBeLessThan(10);
    expect((await readAll()).waiting).toBeGreaterThan(0);
    await store.deliver(null);
    expect((await readAll()).waiting).toBe(0);
  });

  it('leave the outbox when ClickHouse can never read them, and hold nothing else', async () => {
    for (const port of [44_001, 44_002, 44_003]) await append(store, port);
    const [broken] = await sqlClient()<{ id: string }[]>`
      update flow_outbox set rows = substring(rows for 40) where id = (select min(id) + 1 from flow_outbox) returning id`;
    expect(broken).toBeDefined();
    // The heartbeats of its node are answered, and later ones are stored.
    await store.deliver(getNode().node_id);
    await append(store, 44_004);
    await store.deliver(getNode().node_id);
    expect(await readAll()).toMatchObject({ bytes: [300, 300, 300], waiting: 0 });
    const refused = await sqlClient()<{ node_id: string; row_count: number; reason: string; size: number }[]>`
      select node_id, row_count, reason, length(rows) as size from refused_flows`;
    expect(refused).toEqual([{ ...refused[0], node_id: getNode().node_id, row_count: 1, size: 40 }]);
    expect(refused[0]?.reason).toMatch(/^\d+: [\x20-\x7e]{20,500}$/);
    expect(await countOutbox(sqlClient())).toMatchObject({ reports: 0, refused: 1 });

    expect(await retryRefused(sqlClient())).toBe(1);
    await append(store, 44_005);
    await store.deliver(null);
    expect(await readAll()).toMatchObject({ bytes: [400, 400, 400], waiting: 0 });
    expect(await countOutbox(sqlClient())).toMatchObject({ refused: 1 });
  });

  it('wait like in an outage when very many are refused', async () => {
    await sqlClient()`insert into refused_flows (node_id, cluster_id, token, target, created_at, reason, row_count, buckets, rows)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'incoming_flows', now(), '', 1, '{}', '' from generate_series(1, 100)`;
    await append(store, 45_001);
    await sqlClient()`update flow_outbox set rows = substring(rows for 40)`;
    await expect(store.deliver(getNode().node_id)).rejects.toThrow();
    expect(await readAll()).toMatchObject({ bytes: [0, 0, 0], waiting: 1 });
  });

  it('belong to one conversation when two nodes report it at the same time', async () => {
    await Promise.all([0, 1].flatMap((node) => Array.from({ length: 10 }, (_, i) => append(store, 42_000 + i, node))));
    for (const { node_id } of inventory.nodes) await store.deliver(node_id);
    const [found] = await connection.read<{ conversations: number; rows: number }>(
      ch`select uniqExact(conversation_id) as conversations, count() as rows from flows final`,
    );
    expect(found).toEqual({ conversations: 10, rows: 20 });
    const text = { condition: undefined, resolved: new Map(), now: iso(NOW), actions: undefined };
    const selection = {
      ...EVERYTHING,
      ...text,
      named: [],
      filter: {},
      visible: 'all' as const,
      prefixes: 'all' as const,
      periods: [],
    };
    const { items } = await store.conversations.list(selection, { limit: 50 });
    expect(items.map(({ bytes, nodes }) => [bytes, nodes.length])).toEqual(Array.from({ length: 10 }, () => [100, 2]));
  });
});
