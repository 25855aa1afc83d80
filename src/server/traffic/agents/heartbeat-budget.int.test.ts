import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { Delivery } from '../../../../agent/src/transport/delivery';
import { Spool } from '../../../../agent/src/transport/spool';
import { makeFlow, makeHeartbeat } from './testing/heartbeat.fixture';

const sql = sqlClient();
const INTERVAL = 30;
const BOOT = '0190f3c4-5d6e-7f80-8a9b-0c1d2e3f4a5b';
let time: ReturnType<typeof fakeClock>;
let server: Server;
let directory: string;
let headers: { authorization: string };
let node: { id: string };
let isUp: boolean;
let statuses: number[];

/** The real agent's delivery and spool, connecting to the service over HTTP. */
beforeEach(async () => {
  time = fakeClock();
  directory = mkdtempSync(join(tmpdir(), 'fabric-budget-'));
  const cluster = await makeCluster();
  node = await makeNode(cluster);
  headers = await makeAgent(node);
  isUp = true;
  statuses = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { authorization = '', 'content-encoding': encoding = '' } = request.headers;
      const answer = isUp
        ? await call('/agents/heartbeat', {
            method: 'POST',
            body: new Uint8Array(Buffer.concat(chunks)),
            headers: { authorization, 'content-encoding': encoding, 'content-type': 'application/json' },
          })
        : new Response('{}', { status: 503 });
      statuses.push(answer.status);
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
  time.restore();
});

const now = () => clock.now().getTime();
function startAgent() {
  const spool = new Spool(directory, undefined, now);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const token = headers.authorization.replace('Bearer ', '');
  const trust = { caFile: null, fingerprint: null };
  return {
    spool,
    delivery: new Delivery(
      { url, trust },
      () => token,
      spool,
      now,
      () => 0,
    ),
  };
}
let sequence = 0;
const sendHeartbeat = () => {
  const values = {
    boot_id: BOOT,
    sequence: sequence++,
    sent_at: clock.now().toISOString(),
    interval_seconds: INTERVAL,
  };
  return { ...makeHeartbeat([], values), flows: [] };
};
const stored = async () =>
  (await sql`select count(*)::int as n from agent_heartbeats where node_id = ${node.id}`)[0]?.n;

it('takes everything that an agent kept during an outage of half an hour, without a 429', async () => {
  const { spool, delivery } = startAgent();
  const outage = 60;
  isUp = false;
  for (let i = 0; i < outage; i++) {
    delivery.store(sendHeartbeat());
    time.advance(INTERVAL);
  }
  isUp = true;
  const first = sequence;
  while (spool.size > 0) {
    expect(await delivery.deliver(sendHeartbeat())).toMatchObject({ kind: 'delivered' });
    time.advance(INTERVAL);
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await stored()).toBe(outage + sequence - first);
});

it('answers an agent that sends beyond its budget with 429; the agent waits, and loses nothing', async () => {
  const { spool, delivery } = startAgent();
  await call('/agents/heartbeat', { method: 'POST', body: sendHeartbeat(), headers });
  // As if the agent had used all but five.
  const spent = ((AGENT_LIMITS.heartbeat_burst - 5) * INTERVAL * 1000) / AGENT_LIMITS.heartbeats_per_interval;
  await sql`update rate_limits set window_start = ${new Date(now() + spent).toISOString()} where key = ${`agent:${node.id}`}`;
  let refused: Response | undefined;
  for (let sent = 0; !refused; sent++) {
    expect(sent).toBeLessThanOrEqual(5);
    // Whatever the body is: it is not read.
    const response = await call('/agents/heartbeat', { method: 'POST', body: '{', headers });
    if (response.status === 429) refused = response;
    else expect(response.status).toBe(400);
  }
  expect(await refused.json()).toMatchObject({
    code: 'too_many_requests',
    detail: expect.stringContaining('interval'),
  });
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(INTERVAL / AGENT_LIMITS.heartbeats_per_interval + 1);

  // The real agent gets the same response, keeps the heartbeat, and does not retry before it may.
  expect(await delivery.deliver(sendHeartbeat())).toMatchObject({
    kind: 'stored',
    reason: expect.stringContaining('429'),
  });
  const tries = statuses.length;
  expect(await delivery.deliver(sendHeartbeat())).toMatchObject({
    kind: 'stored',
    reason: expect.stringContaining('waiting'),
  });
  expect(statuses).toHaveLength(tries);
  expect(spool.size).toBe(2);
  time.advance(INTERVAL);
  expect(await delivery.deliver(sendHeartbeat())).toMatchObject({ kind: 'delivered' });
  expect(spool.size).toBe(0);
  expect(await stored()).toBe(4);
  // Another agent has its own budget.
  const other = await makeAgent(await makeNode(await makeCluster()));
  expect((await call('/agents/heartbeat', { method: 'POST', body: sendHeartbeat(), headers: other })).status).toBe(200);
});

it('counts a heartbeat with more flows than agents send as several', async () => {
  const wide = Array.from({ length: 4 * AGENT_LIMITS.flows_per_heartbeat + 1 }, () => makeFlow());
  const full = async () => {
    const [row] = await sql`select window_start from rate_limits where key = ${`agent:${node.id}`}`;
    return Date.parse(String(row?.window_start)) - now();
  };
  await call('/agents/heartbeat', { method: 'POST', body: { ...sendHeartbeat(), flows: wide.slice(1) }, headers });
  const one = await full();
  await call('/agents/heartbeat', { method: 'POST', body: { ...sendHeartbeat(), flows: wide }, headers });
  expect(await full()).toBe(3 * one);
});

it('accepts heartbeats when a clock that was ahead is put back', async () => {
  const post = () => call('/agents/heartbeat', { method: 'POST', body: sendHeartbeat(), headers });
  time.advance(30 * 86_400);
  expect((await post()).status).toBe(200);
  time.advance(-30 * 86_400);
  expect((await post()).status).toBe(200);
});
