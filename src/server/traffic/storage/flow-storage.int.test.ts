import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evaluateFlowStorage } from '@/runtime/cli/doctor/service-checks';
import { flowStoreCommand } from '@/runtime/cli/flow-store-command';
import { sqlClient } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { type ChdbServer, findChdbProblem, startChdb } from '@/test/chdb-server';
import { type ClickhouseProxy, startClickhouseProxy } from '@/test/clickhouse-proxy';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { startFreshProcess } from '@/test/fresh-process';
import { call } from '@/test/request';
import { makeFlows, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { examineFlowStorage, prepareFlowStorage } from './flow-storage';

const prepare = () => prepareFlowStorage(env().DATABASE_URL ?? '');
const evaluate = async () => evaluateFlowStorage(await examineFlowStorage());

describe.skipIf(findChdbProblem() !== null)('the store of flows of an installation', () => {
  let server: ChdbServer;
  let proxy: ClickhouseProxy;
  let lines: string[] = [];

  beforeAll(async () => {
    server = await startChdb();
    proxy = await startClickhouseProxy(server.url);
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
  });
  beforeEach(async () => {
    lines = [];
    proxy.mode = 'up';
    await startFreshProcess({ CLICKHOUSE_URL: '' });
    await sqlClient()`truncate flow_storage, flow_outbox, open_conversations, traffic_flows, flow_rollup_minutes, agent_heartbeats`;
    await server.run('drop table if exists fabric_migrations');
  });

  const withClickhouse = () => startFreshProcess({ CLICKHOUSE_URL: proxy.url });
  const report = async () => {
    const agent = await makeAgent(await makeNode(await makeCluster()));
    const body = makeHeartbeat(makeFlows(3));
    return (await call('/agents/heartbeat', { method: 'POST', body, headers: agent })).status;
  };
  const switchTo = (to: string) => {
    const terminal = { print: (line: string) => lines.push(line), note: (line: string) => lines.push(line) };
    return flowStoreCommand.run({ values: { to }, positionals: ['switch'], terminal });
  };

  it('uses PostgreSQL without CLICKHOUSE_URL', async () => {
    await prepare();
    expect(await report()).toBe(200);
    expect(await evaluate()).toEqual({ status: 'ok', detail: 'PostgreSQL' });
  });

  it('uses ClickHouse with CLICKHOUSE_URL, and refuses processes without it', async () => {
    await withClickhouse();
    await Promise.all([prepare(), prepare(), prepare()]);
    expect(await evaluate()).toMatchObject({ status: 'ok', detail: expect.stringContaining(', schema ') });
    expect(await report()).toBe(200);
    await startFreshProcess({ CLICKHOUSE_URL: '' });
    await expect(prepare()).rejects.toThrow('are in ClickHouse, but CLICKHOUSE_URL is not set');
    expect(await evaluate()).toMatchObject({ status: 'failed' });
  });

  it('refuses ClickHouse while PostgreSQL holds flows, until it is switched', async () => {
    await prepare();
    expect(await report()).toBe(200);
    await withClickhouse();
    await expect(prepare()).rejects.toThrow('the flows of this installation are in PostgreSQL');
    expect(await switchTo('clickhouse')).toBe(0);
    expect(lines.join(' ')).toContain('The flows in PostgreSQL are not shown any more.');
    await withClickhouse();
    await prepare();
    expect(await report()).toBe(200);
    expect(await evaluate()).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('PostgreSQL holds flows'),
    });
    await switchTo('postgres');
    await startFreshProcess({ CLICKHOUSE_URL: '' });
    await prepare();
    expect(await report()).toBe(200);
    expect((await sqlClient()`select count(*)::int as n from traffic_flows`)[0]?.n).toBe(6);
  });

  it('prepares ClickHouse when it answers, not only at the start', async () => {
    await withClickhouse();
    proxy.mode = 'away';
    await prepare();
    expect(await report()).toBe(503);
    expect(await evaluate()).toMatchObject({ status: 'failed', detail: expect.stringContaining('not reachable') });
    proxy.mode = 'up';
    await expect.poll(report, { interval: 250 }).toBe(200);
    expect(await evaluate()).toMatchObject({ status: 'ok' });
  });

  it('refuses tables of a later release', async () => {
    await withClickhouse();
    await prepare();
    await server.run("insert into fabric_migrations (version, name) values (9999, 'later')");
    await expect(prepare()).rejects.toThrow('version 9999, and this version of Fabric knows');
    expect(await evaluate()).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('from a later release'),
    });
  });
});
