import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { HeartbeatAnswer } from '@fabric/agent-contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { metricsText } from '@/server/lib/metrics';
import { readiness } from '@/server/operation/health';
import { sumTraffic } from '@/server/traffic/flows/upkeep';
import { prepareFlowStorage } from '@/server/traffic/storage/flow-storage';
import { bundled } from '@/test/bundle';
import { type ChdbServer, findChdbProblem, startChdb } from '@/test/chdb-server';
import { type ClickhouseProxy, startClickhouseProxy } from '@/test/clickhouse-proxy';
import { bearer, makeAgent, makeCluster, makeNode, makeUser } from '@/test/factories';
import { startFreshProcess } from '@/test/fresh-process';
import { call, callJson } from '@/test/request';
import { makeFlows, makeHeartbeat } from './testing/heartbeat.fixture';

type Beat = ReturnType<typeof makeHeartbeat>;
type Problem = { code: string; detail: string; retry_after: number };

/** The bytes of all flows of heartbeats. */
const sumBytes = (beats: readonly Beat[]) =>
  beats.flatMap(({ flows }) => flows as { bytes: number }[]).reduce((sum, { bytes }) => sum + bytes, 0);

/** An agent's heartbeats, each with flows of its own. */
function makeBeats(count: number, from: number): Beat[] {
  const boot_id = crypto.randomUUID();
  return Array.from({ length: count }, (_, sequence) =>
    makeHeartbeat(makeFlows(20, from + sequence * 20), { boot_id, sequence }),
  );
}

describe.skipIf(findChdbProblem() !== null)('heartbeats with flows in ClickHouse', () => {
  const program = bundled('src/test/web-process.fixture.ts');
  let server: ChdbServer;
  let proxy: ClickhouseProxy;
  let agent: { authorization: string };
  let person: { authorization: string };
  let node: { id: string };

  beforeAll(async () => {
    server = await startChdb();
    proxy = await startClickhouseProxy(server.url);
    await startFreshProcess({ CLICKHOUSE_URL: proxy.url });
    await prepareFlowStorage(env().DATABASE_URL ?? '');
    person = await bearer(await makeUser('super_admin'));
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
  });
  beforeEach(async () => {
    proxy.mode = 'up';
    node = await makeNode(await makeCluster());
    agent = await makeAgent(node);
  });

  const post = (beat: Beat) => call('/agents/heartbeat', { method: 'POST', body: beat, headers: agent });
  const send = async (beat: Beat) => {
    const response = await post(beat);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return JSON.parse(text) as HeartbeatAnswer & { duplicate?: boolean };
  };
  const expectRefusal = async (beat: Beat) => {
    const response = await post(beat);
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const problem = (await response.json()) as Problem;
    expect(problem).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('Flow storage (ClickHouse)'),
    });
  };
  /** What the tables have of the node, and what waits for them. */
  const readStored = async () => {
    const sums = await Promise.all(
      ['flows', 'rollup_minutes', 'rollup_hours'].map((table) =>
        server.run(`select toInt64(sum(bytes)) from ${table} where node_id = '${node.id}'`),
      ),
    );
    const [outbox] = await sqlClient()`select count(*)::int as n from flow_outbox where node_id = ${node.id}`;
    return { bytes: sums.map(Number), waiting: outbox?.n };
  };
  const all = (bytes: number) => ({ bytes: [bytes, bytes, bytes], waiting: 0 });
  const readAgent = async () => (await sqlClient()`select * from node_agents where node_id = ${node.id}`)[0];
  const waitForAnswers = () =>
    expect.poll(async () => (await callJson('/flows', person)).status, { interval: 250 }).toBe(200);

  it('return 200 when their flows are where pages read them', async () => {
    const [beat] = makeBeats(1, 0) as [Beat];
    expect(await send(beat)).toMatchObject({ accepted: 20, updated: 0, rejected: [] });
    expect(await readStored()).toEqual(all(sumBytes([beat])));
    const { status, body } = await callJson<{ items: object[] }>(`/flows?node_id=${node.id}`, person);
    expect([status, body.items.length]).toEqual([200, 20]);
    expect(await send(beat)).toMatchObject({ accepted: 20, duplicate: true });
    expect(await readStored()).toEqual(all(sumBytes([beat])));
    expect((await readiness()).checks.flow_storage).toEqual({ status: 'ok' });
    expect(await metricsText()).toMatch(
      /fabric_flow_storage_request_duration_seconds_count\{operation="insert",result="ok"\} [1-9]/,
    );
  });

  it('return 503 while ClickHouse is away, count as signs of life, and arrive once', async () => {
    const beats = makeBeats(5, 1_000);
    const [known, first, second, third, fresh] = beats as [Beat, Beat, Beat, Beat, Beat];
    await send(known);
    proxy.mode = 'away';
    await expectRefusal(first);
    await sqlClient()`update node_agents set status = 'silent', last_heartbeat_at = now() - interval '1 hour' where node_id = ${node.id}`;
    await expectRefusal(second);
    expect(await readAgent()).toMatchObject({ status: 'ok', last_sequence: '1' });
    expect(Date.now() - Date.parse(String((await readAgent())?.last_heartbeat_at))).toBeLessThan(60_000);
    await expectRefusal(third);
    // However long the outage, one heartbeat of each agent waits in PostgreSQL.
    expect(await readStored()).toMatchObject({ bytes: Array(3).fill(sumBytes([known])), waiting: 1 });

    const pages = await callJson<Problem>('/flows', person);
    expect(pages).toMatchObject({
      status: 503,
      body: { code: 'unavailable', reason: 'flow_storage', detail: expect.stringContaining('not reachable') },
    });
    for (const path of ['/clusters', '/workloads', '/policies', '/agents', '/subnets']) {
      expect([path, (await callJson(path, person)).status]).toEqual([path, 200]);
    }
    expect((await readiness()).checks.flow_storage).toEqual({ status: 'failed', detail: 'cannot be reached' });

    proxy.mode = 'up';
    await waitForAnswers();
    // As agents do: what is fresh, then what they kept, newest first; and some again, because an answer was lost.
    for (const beat of [fresh, third, second, first]) await send(beat);
    for (const beat of beats) expect(await send(beat)).toMatchObject({ duplicate: true });
    expect(await readStored()).toEqual(all(sumBytes(beats)));
    expect(await readAgent()).toMatchObject({ status: 'ok', last_sequence: '4' });
  });

  it('add nothing when ClickHouse has their flows and its answer is lost', async () => {
    const beats = makeBeats(2, 2_000);
    const [lost, next] = beats as [Beat, Beat];
    proxy.mode = 'forgetful';
    await expectRefusal(lost);
    expect((await readStored()).waiting).toBe(1);
    await expectRefusal(lost);
    proxy.mode = 'up';
    await waitForAnswers();
    expect(await send(next)).toMatchObject({ accepted: 20 });
    expect(await send(lost)).toMatchObject({ accepted: 20, duplicate: true });
    expect(await readStored()).toEqual(all(sumBytes(beats)));
  });

  it('arrive without their agent, by the worker', async () => {
    const [beat] = makeBeats(1, 3_000) as [Beat];
    proxy.mode = 'away';
    await expectRefusal(beat);
    await expect(sumTraffic()).rejects.toThrow('not reachable');
    proxy.mode = 'up';
    await waitForAnswers();
    await sumTraffic();
    expect(await readStored()).toEqual(all(sumBytes([beat])));
  });

  it('arrive once when the process is killed between ClickHouse and PostgreSQL', async () => {
    const beats = makeBeats(3, 4_000);
    const start = async () => {
      const child: ChildProcess = spawn(process.execPath, [program()], {
        env: {
          ...{ NODE_ENV: 'production', PATH: '/usr/bin:/bin', LOG_LEVEL: 'silent' },
          ...{ DATABASE_URL: env().DATABASE_URL ?? '', FABRIC_SECRET_KEY: env().FABRIC_SECRET_KEY ?? '' },
          CLICKHOUSE_URL: proxy.url,
        },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const [message] = (await once(child, 'message')) as [{ port: number }];
      return { child, url: `http://127.0.0.1:${message.port}/api/v1/agents/heartbeat` };
    };
    const request = (url: string, beat: Beat) => {
      const headers = { ...agent, 'content-type': 'application/json' };
      return fetch(url, { method: 'POST', headers, body: JSON.stringify(beat) });
    };
    for (const beat of beats) {
      const { child, url } = await start();
      proxy.onInsert = async () => {
        proxy.onInsert = () => undefined;
        child.kill('SIGKILL');
        await once(child, 'exit');
      };
      const before = proxy.inserts;
      await expect(request(url, beat)).rejects.toThrow();
      expect(proxy.inserts).toBe(before + 1);
      expect((await readStored()).waiting).toBe(1);
      const again = await start();
      const response = await request(again.url, beat);
      expect([response.status, await response.json()]).toMatchObject([200, { accepted: 20, duplicate: true }]);
      again.child.kill('SIGKILL');
    }
    expect(await readStored()).toEqual(all(sumBytes(beats)));
  });
});
