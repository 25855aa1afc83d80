import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evaluateFlowStorage } from '@/runtime/cli/doctor/service-checks';
import { sqlClient } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { type ChdbServer, findChdbProblem, startChdb } from '@/test/chdb-server';
import { type ClickhouseProxy, startClickhouseProxy } from '@/test/clickhouse-proxy';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { startFreshProcess } from '@/test/fresh-process';
import { call } from '@/test/request';
import { makeFlows, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { retainTelemetry } from '../flows/upkeep';
import { examineFlowStorage, prepareFlowStorage, switchFlowStorage } from './flow-storage';
import { moveFlowStorage } from './move/run-move';

const FLOWS = 6;
const TABLES = ['flows', 'rollup_minutes', 'rollup_hours'];
const ANOTHER = 'another installation';

describe.skipIf(findChdbProblem() !== null)('an installation whose CLICKHOUSE_URL names a wrong ClickHouse', () => {
  let server: ChdbServer;
  let proxy: ClickhouseProxy;
  const urls = { right: '', wrong: '' };

  beforeAll(async () => {
    server = await startChdb();
    proxy = await startClickhouseProxy(server.url);
    for (const name of ['right', 'wrong'] as const) urls[name] = `${proxy.url}/${name}`;
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
  });
  beforeEach(async () => {
    proxy.mode = 'up';
    await startFreshProcess({ CLICKHOUSE_URL: '' });
    await empty();
    for (const name of ['right', 'wrong']) {
      await server.run(`drop database if exists ${name}`);
      await server.run(`create database ${name}`);
    }
  });

  const empty = async () => {
    await sqlClient()`truncate flow_moves, flow_move_days, flow_storage, flow_outbox, refused_flows, open_conversations, traffic_flows,
      traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks, agent_heartbeats`;
    await sqlClient()`delete from clusters`;
  };
  const start = (url: string) => startFreshProcess({ CLICKHOUSE_URL: url });
  const database = () => env().DATABASE_URL ?? '';
  const prepare = () => prepareFlowStorage(database());
  const report = async () => {
    const headers = await makeAgent(await makeNode(await makeCluster()));
    return (await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat(makeFlows(FLOWS)), headers })).status;
  };
  /** @param table of what a database of the test has */
  const count = async (name: string, table: string) => Number(await server.run(`select count() from ${name}.${table}`));
  const countAll = (name: string) => Promise.all(TABLES.map((table) => count(name, table)));
  const countPostgres = async () => (await sqlClient()`select 1 from traffic_flows`).length;

  /** Another installation on this database: nothing of the one before is in it. */
  async function becomeAnother(): Promise<void> {
    await empty();
    await sqlClient()`update system_settings set value = jsonb_build_object('id', gen_random_uuid()) where key = 'instance'`;
  }
  /** An installation with flows in ClickHouse. */
  async function fillRight(): Promise<void> {
    await start(urls.right);
    await prepare();
    expect(await report()).toBe(200);
    expect(await count('right', 'flows')).toBe(FLOWS);
  }
  /** As an earlier release left it. */
  async function forgetStore(): Promise<void> {
    await server.run('drop table right.fabric_store');
    await sqlClient()`update flow_storage set store_id = null`;
  }
  const move = (to: 'postgres' | 'clickhouse', onPlan?: () => void) =>
    moveFlowStorage(database(), to, { keep: false, fillEnds: async () => {}, ...(onPlan && { onPlan }) });
  /** A move that is interrupted when flows are stored in the other store, and nothing else has moved. */
  const interrupt = (to: 'postgres' | 'clickhouse') =>
    expect(
      move(to, () => {
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
  /** Nothing can continue, as a day later: all that ClickHouse holds moves day by day. */
  const endConversations = () => sqlClient()`truncate open_conversations`;

  describe('that holds flows of another installation', () => {
    it.each([
      ['a start', prepare],
      ['a switch', () => switchFlowStorage(database(), 'clickhouse')],
      ['a move', () => move('clickhouse')],
    ])('ends %s before anything is changed there', async (_, use) => {
      await fillRight();
      const before = await countAll('right');
      await becomeAnother();
      await start(urls.right);
      await expect(use()).rejects.toThrow(ANOTHER);
      expect(await sqlClient()`select * from flow_storage`).toEqual([]);
      expect(await countAll('right')).toEqual(before);
    });

    it('takes and deletes nothing there when ClickHouse was away at its start', async () => {
      await fillRight();
      const before = await countAll('right');
      await becomeAnother();
      await start(urls.right);
      proxy.mode = 'away';
      await prepare();
      proxy.mode = 'up';
      expect(await report()).toBe(503);
      await expect(retainTelemetry()).rejects.toThrow(ANOTHER);
      expect(await countAll('right')).toEqual(before);
      expect(evaluateFlowStorage(await examineFlowStorage())).toMatchObject({
        status: 'failed',
        detail: expect.stringContaining(ANOTHER),
      });
    });

    it('belongs to the installation that has one of its clusters where an earlier release has stored flows', async () => {
      await fillRight();
      await forgetStore();
      await start(urls.right);
      await prepare();
      await forgetStore();
      await becomeAnother();
      await makeCluster();
      await start(urls.right);
      await expect(prepare()).rejects.toThrow(ANOTHER);
      await server.run('drop database right');
      await server.run('create database right');
      await prepare();
      expect(await report()).toBe(200);
    });

    it('belongs to the installation whose audit trail has a cluster of theirs that was deleted', async () => {
      await fillRight();
      await forgetStore();
      const sql = sqlClient();
      const [cluster] = await sql<{ id: string }[]>`select id from clusters`;
      await sql`delete from clusters`;
      await expect(prepare()).rejects.toThrow(ANOTHER);
      await sql`insert into audit_records (seq, id, at, actor_kind, actor_name, action, object_kind, object_id, previous_hash, hash)
        select coalesce(max(seq), 0) + 1, gen_random_uuid(), now(), 'system', 'test', 'cluster.deleted', 'cluster', ${cluster?.id ?? ''}, '', ''
        from audit_records`;
      await prepare();
      expect(await count('right', 'flows')).toBe(FLOWS);
    });

    it('shows its flows again after a switch to PostgreSQL and back', async () => {
      await fillRight();
      await switchFlowStorage(database(), 'postgres');
      await switchFlowStorage(database(), 'clickhouse');
      await start(urls.right);
      await prepare();
      expect(await count('right', 'flows')).toBe(FLOWS);
    });
  });

  describe('that lacks the flows of before', () => {
    const OTHER = 'names another ClickHouse';
    const countTables = () => server.run("select count() from system.tables where database = 'wrong'");

    it.each(['empty', 'used by it before'])('ends each start when it is %s, until it is chosen', async (kind) => {
      if (kind !== 'empty') {
        await start(urls.wrong);
        await prepare();
        await switchFlowStorage(database(), 'postgres');
      }
      const tables = await countTables();
      await fillRight();
      await start(urls.wrong);
      await expect(prepare()).rejects.toThrow(OTHER);
      expect(await report()).toBe(503);
      expect(evaluateFlowStorage(await examineFlowStorage())).toMatchObject({
        status: 'failed',
        detail: expect.stringContaining(OTHER),
      });
      expect(await countTables()).toBe(tables);
      await start(urls.right);
      await prepare();
      expect(await report()).toBe(200);
      await start(urls.wrong);
      await switchFlowStorage(database(), 'clickhouse');
      await prepare();
      expect(await report()).toBe(200);
      expect(await countAll('right')).toEqual([3 * FLOWS, expect.any(Number), expect.any(Number)]);
      await start(urls.right);
      await expect(prepare()).rejects.toThrow(OTHER);
    });

    it('ends a start after an earlier release that did not note which one it is', async () => {
      await fillRight();
      await sqlClient()`update flow_storage set store_id = null`;
      await start(urls.right);
      await prepare();
      await start(urls.wrong);
      await expect(prepare()).rejects.toThrow(OTHER);
    });

    it('takes no flows when its database was emptied while ClickHouse was away', async () => {
      await fillRight();
      await server.run('drop database right');
      await server.run('create database right');
      await start(urls.right);
      proxy.mode = 'away';
      await prepare();
      proxy.mode = 'up';
      expect(await report()).toBe(503);
      expect(await server.run("select count() from system.tables where database = 'right'")).toMatch(/^0/);
    });
  });

  describe('while flows move', () => {
    it.each(['empty', 'used by it before'])(
      'continues to PostgreSQL only from where it began, not from one that is %s',
      async (kind) => {
        if (kind !== 'empty') {
          await start(urls.wrong);
          await prepare();
          await sqlClient()`truncate flow_storage`;
        }
        await fillRight();
        await endConversations();
        await interrupt('postgres');
        await start(urls.wrong);
        await expect(move('postgres')).rejects.toThrow('began with another ClickHouse');
        expect([await count('right', 'flows'), await countPostgres()]).toEqual([FLOWS, 0]);
        await start(urls.right);
        await move('postgres');
        expect([await count('right', 'flows'), await countPostgres()]).toEqual([0, FLOWS]);
      },
    );

    it('refuses to begin where no flows are', async () => {
      await fillRight();
      await start(urls.wrong);
      await expect(move('postgres')).rejects.toThrow('names another ClickHouse');
      expect(await count('right', 'flows')).toBe(FLOWS);
    });

    it('continues to ClickHouse only where it began, and stores nothing elsewhere', async () => {
      await prepare();
      expect(await report()).toBe(200);
      await start(urls.right);
      await interrupt('clickhouse');
      await start(urls.wrong);
      await expect(move('clickhouse')).rejects.toThrow('began with another ClickHouse');
      await expect(prepare()).rejects.toThrow('began with another ClickHouse');
      expect(await report()).toBe(503);
      expect(await countPostgres()).toBe(FLOWS);
      await start(urls.right);
      await prepare();
      await move('clickhouse');
      expect([await count('right', 'flows'), await countPostgres()]).toEqual([FLOWS, 0]);
    });

    it.each(TABLES.slice(0, 2))(
      'ends at a day of which the store before has lost %s, and deletes nothing',
      async (table) => {
        await fillRight();
        await endConversations();
        await interrupt('postgres');
        await server.run(`create table right.copy as right.${table}`);
        await server.run(`insert into right.copy select * from right.${table}`);
        await server.run(`truncate table right.${table}`);
        await start(urls.right);
        await expect(move('postgres')).rejects.toThrow(/0 rows where flows were, and \d+ were planned/);
        await server.run(`insert into right.${table} select * from right.copy`);
        await server.run('drop table right.copy');
        await start(urls.right);
        await move('postgres');
        expect([await count('right', 'flows'), await countPostgres()]).toEqual([0, FLOWS]);
      },
    );
  });
});
