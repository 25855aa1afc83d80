import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evaluateFlowStorage } from '@/runtime/cli/doctor/service-checks';
import { flowStoreCommand } from '@/runtime/cli/flow-store-command';
import { systemScope } from '@/server/auth/scope';
import { sqlClient } from '@/server/db/client';
import { readDashboardOperations, readDashboardSecurity } from '@/server/insight/dashboard/read-dashboard';
import { env } from '@/server/lib/env';
import { readiness } from '@/server/operation/health';
import { type ChdbServer, findChdbProblem, startChdb } from '@/test/chdb-server';
import { type ClickhouseProxy, startClickhouseProxy } from '@/test/clickhouse-proxy';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { startFreshProcess } from '@/test/fresh-process';
import { call } from '@/test/request';
import { makeFlows, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { STORED_TABLES } from './clickhouse/migrations';
import { examineFlowStorage, findOutsideFlows, prepareFlowStorage } from './flow-storage';

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
    await sqlClient()`truncate flow_moves, flow_move_days, flow_storage, flow_outbox, refused_flows, open_conversations, traffic_flows, flow_rollup_minutes, agent_heartbeats`;
    await server.run('drop table if exists fabric_migrations');
    for (const table of ['flows', 'rollup_minutes', 'rollup_hours'])
      await server.run(`truncate table if exists ${table}`);
  });

  const withClickhouse = () => startFreshProcess({ CLICKHOUSE_URL: proxy.url });
  const report = async () => {
    const agent = await makeAgent(await makeNode(await makeCluster()));
    const body = makeHeartbeat(makeFlows(3));
    return (await call('/agents/heartbeat', { method: 'POST', body, headers: agent })).status;
  };
  const runCommand = (action: string, values: Record<string, string | boolean>) => {
    const terminal = { print: (line: string) => lines.push(line), note: (line: string) => lines.push(line) };
    return flowStoreCommand.run({ values, positionals: [action], terminal });
  };
  const makeSender = async () => {
    const headers = await makeAgent(await makeNode(await makeCluster()));
    return async () =>
      (await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat(makeFlows(3)), headers })).status;
  };
  const switchTo = (to: string) => runCommand('switch', { to });

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

  it('moves what is stored, refuses processes that were not restarted, and says what a backup does not hold', async () => {
    await prepare();
    expect(await report()).toBe(200);
    const send = await makeSender();
    await withClickhouse();
    // The process is killed after the switch: what it has to move next is not in ClickHouse.
    await server.run('create table if not exists moving_flows (one UInt8) engine = Null');
    await expect(runCommand('move', { to: 'clickhouse' })).rejects.toThrow();
    expect(lines.join(' ')).toContain('Set CLICKHOUSE_URL for every process and restart it');
    await withClickhouse();
    expect(await evaluate()).toMatchObject({ status: 'warning', detail: expect.stringContaining('are being moved') });
    await expect(switchTo('postgres')).rejects.toThrow('Flows are being moved');
    await startFreshProcess({ CLICKHOUSE_URL: '' });
    expect(await send()).toBe(503);
    await withClickhouse();
    expect(await send()).toBe(200);
    await server.run('drop table moving_flows');
    expect(await runCommand('move', { to: 'clickhouse' })).toBe(0);
    expect(lines.join(' ')).toMatch(/flows: 3 rows, both stores agree.*Those in PostgreSQL are deleted/);
    expect(await server.run('select count() from flows')).toBe('6');
    await withClickhouse();
    expect(await evaluate()).toMatchObject({ status: 'ok' });
    expect(await findOutsideFlows(env().DATABASE_URL ?? '')).toEqual({ isClickhouse: true, isMoving: false });
    await expect(runCommand('move', { to: 'clickhouse' })).rejects.toThrow('stored in ClickHouse already');
  });

  it('moves back to PostgreSQL, and refuses what would lose or count twice', async () => {
    await withClickhouse();
    await prepare();
    const send = await makeSender();
    expect(await send()).toBe(200);
    const moveBack = () => runCommand('move', { to: 'postgres' });
    const withoutClickhouse = () => startFreshProcess({ CLICKHOUSE_URL: '' });

    await sqlClient()`insert into refused_flows (node_id, cluster_id, token, target, created_at, reason, row_count, buckets, rows)
      values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'incoming_ends', now(), '117: as it is', 1, '{}', '{}')`;
    await expect(moveBack()).rejects.toThrow('ClickHouse refused 1 reports');
    await withClickhouse();
    // Dropped before the switch: what has been copied so far is gone, and the store stays.
    expect(await switchTo('clickhouse')).toBe(0);
    await withClickhouse();
    await sqlClient()`truncate refused_flows`;
    await sqlClient()`insert into flow_rollup_hours (node_id, bucket_at, cluster_id, rollup_key, source_prefix, destination_prefix, source_internal,
      destination_internal, protocol, reply, decision) values (gen_random_uuid(), now(), gen_random_uuid(), gen_random_uuid(), '10.0.0.0/8',
      '10.0.0.0/8', false, false, 'tcp', false, 'observed')`;
    await expect(moveBack()).rejects.toThrow('PostgreSQL holds flows already');
    await withoutClickhouse();
    await expect(moveBack()).rejects.toThrow('Set it for this command');

    await withClickhouse();
    await sqlClient()`truncate flow_rollup_hours`;
    // The process is killed after the switch: it cannot copy what it has to move next.
    await sqlClient()`alter table moving_minutes rename to gone`;
    await expect(moveBack()).rejects.toThrow();
    expect(lines.join(' ')).toContain('Remove CLICKHOUSE_URL from every process and restart it');
    await withClickhouse();
    await sqlClient()`alter table gone rename to moving_minutes`;
    expect(await send()).toBe(503);
    await expect(prepare()).rejects.toThrow('are being moved to PostgreSQL');
    expect(await evaluate()).toMatchObject({ status: 'failed', detail: expect.stringContaining('being moved') });
    await expect(runCommand('move', { to: 'clickhouse' })).rejects.toThrow('move to postgres is not finished');
    await withoutClickhouse();
    await prepare();
    expect(await send()).toBe(200);
    expect(await evaluate()).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^PostgreSQL; stored flows are being moved: 0 of \d+ rows, flows of/),
    });
    expect((await readiness()).checks.flow_storage).toMatchObject({ status: 'ok' });
    await expect(switchTo('clickhouse')).rejects.toThrow('Finish that first: fabric flow-store move --to postgres');

    await withClickhouse();
    expect(await moveBack()).toBe(0);
    expect(lines.join(' ')).toMatch(/flows: 3 rows, both stores agree.*Those in ClickHouse are deleted/);
    await withoutClickhouse();
    // Both heartbeats reported the same flows.
    expect((await sqlClient()`select 1 from traffic_flows`).length).toBe(3);
    expect(await server.run('select count() from flows')).toBe('0');
    expect(await evaluate()).toEqual({ status: 'ok', detail: 'PostgreSQL' });
    const outside = () => findOutsideFlows(env().DATABASE_URL ?? '');
    expect(await outside()).toEqual({ isClickhouse: false, isMoving: false });
    // Also in a database that was not migrated since.
    await sqlClient()`alter table flow_moves drop column store_id`;
    expect(await outside()).toEqual({ isClickhouse: false, isMoving: false });
    await sqlClient()`alter table flow_moves add column store_id uuid`;
  });

  it('empties no table that is not its own when flows have moved back to PostgreSQL', async () => {
    await withClickhouse();
    await prepare();
    expect(await report()).toBe(200);
    await server.run('create table invoices (number UInt32) engine = MergeTree order by number');
    await server.run('insert into invoices select number from numbers(1000)');
    expect(await runCommand('move', { to: 'postgres' })).toBe(0);
    const rows = STORED_TABLES.map((table) => `(select count() from ${table})`).join(' + ');
    expect(await server.run(`select ${rows}, (select count() from invoices)`)).toBe('0\t1000');
    await server.run('drop table invoices');
  });

  it('prepares ClickHouse when it answers, not only at the start', async () => {
    await withClickhouse();
    proxy.mode = 'away';
    await prepare();
    expect(await report()).toBe(503);
    expect(await evaluate()).toMatchObject({ status: 'failed', detail: expect.stringContaining('not reachable') });
    // What stored flows do not decide is known on the dashboard.
    const known = { flow: systemScope('flow:read', 'test'), policy: systemScope('policy:read', 'test') };
    const scopes = { ...known, workload: null, ipam: null, cluster: null, agent: null };
    await expect(readDashboardSecurity(scopes, {})).rejects.toThrow('not reachable');
    expect((await readDashboardOperations(scopes, {})).policies).toMatchObject({ total: expect.any(Number) });
    proxy.mode = 'up';
    await expect.poll(report, { interval: 250 }).toBe(200);
    expect(await evaluate()).toMatchObject({ status: 'ok' });
  });

  it('reports what ClickHouse refused, until it is sent again', async () => {
    await withClickhouse();
    await prepare();
    await sqlClient()`insert into refused_flows (node_id, cluster_id, token, target, created_at, reason, row_count, buckets, rows)
      values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'incoming_ends', now(), '117: as it is', 1, '{}', '{}')`;
    expect(await evaluate()).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('it refused 1 reports'),
    });
    expect((await examineFlowStorage()).outbox).toMatchObject({ reports: 0, refused: 1 });
    const terminal = { print: (line: string) => lines.push(line), note: (line: string) => lines.push(line) };
    expect(await flowStoreCommand.run({ values: {}, positionals: ['retry'], terminal })).toBe(0);
    expect(lines).toEqual(['1 reports are sent again.']);
    await withClickhouse();
    expect((await examineFlowStorage()).outbox).toMatchObject({ reports: 1, refused: 0 });
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
