import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Heartbeat } from '@fabric/agent-contract';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addJitter, backoffDelay, retryAfter } from './backoff';
import { Delivery, readAnswer } from './delivery';
import { Spool } from './spool';

type Received = { sequence: number; headers: IncomingMessage['headers'] };

let directory: string;
let server: Server;
let url: URL;
let received: Received[];
let reply: (response: ServerResponse, sequence: number) => void;
let now: number;

const ok = (response: ServerResponse) =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ accepted: 2, updated: 1, rejected: [{ index: 0, reason: 'x' }], next_interval_seconds: 60 }));
const buildHeartbeat = (sequence: number) => ({ sequence }) as Heartbeat;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-delivery-'));
  received = [];
  reply = ok;
  now = 1_700_000_000_000;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { sequence } = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString());
      received.push({ sequence, headers: request.headers });
      reply(response, sequence);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`);
});
afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
});

function setUp(limits = { files: 100, bytes: 1_000_000, ageMilliseconds: 3_600_000 }) {
  const spool = new Spool(directory, limits, () => now);
  const delivery = new Delivery(
    { url, trust: { caFile: null, fingerprint: null } },
    () => 'token',
    spool,
    () => now,
    () => 1,
  );
  return { spool, delivery };
}

describe('Delivery', () => {
  it('sends gzip JSON with the token and reads the answer', async () => {
    const { delivery } = setUp();
    expect(await delivery.deliver(buildHeartbeat(1))).toEqual({
      kind: 'delivered',
      answer: { accepted: 2, updated: 1, rejected: [{ index: 0, reason: 'x' }], next_interval_seconds: 60 },
    });
    expect(received[0]?.headers).toMatchObject({
      authorization: 'Bearer token',
      'content-encoding': 'gzip',
      'content-type': 'application/json',
    });
  });

  it('keeps what cannot be delivered and sends it later, newest first, a few at a time', async () => {
    const { delivery, spool } = setUp();
    reply = (response) => response.writeHead(503).end();
    for (let sequence = 1; sequence <= 8; sequence += 1) {
      expect((await delivery.deliver(buildHeartbeat(sequence))).kind).toBe('stored');
      now += 30_000;
    }
    expect(spool.size).toBe(8);
    now += 3_000_000;
    reply = ok;
    received = [];
    await delivery.deliver(buildHeartbeat(9));
    expect(received.map(({ sequence }) => sequence)).toEqual([9, 8, 7, 6, 5, 4]);
    await delivery.deliver(buildHeartbeat(10));
    expect(received.map(({ sequence }) => sequence).slice(6)).toEqual([10, 3, 2, 1]);
    expect(spool.size).toBe(0);
  });

  it('does not retry before the wait is over, and doubles it', async () => {
    const { delivery } = setUp();
    reply = (response) => response.writeHead(500).end();
    const attempts = [];
    for (let second = 0; second < 63; second += 1) {
      const before = received.length;
      await delivery.deliver(buildHeartbeat(second));
      if (received.length > before) attempts.push(second);
      now += 1000;
    }
    expect(attempts).toEqual([0, 2, 6, 14, 30, 62]);
  });

  it.each([-6, 6])('waits as long when the clock is set by %i hours', async (hours) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const spool = new Spool(directory);
    const delivery = new Delivery({ url, trust: { caFile: null, fingerprint: null } }, () => 'token', spool);
    reply = (response) => response.writeHead(429, { 'retry-after': '120' }).end();
    await delivery.deliver(buildHeartbeat(1));
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    vi.advanceTimersByTime(119_000);
    reply = ok;
    expect((await delivery.deliver(buildHeartbeat(2))).kind).toBe('stored');
    vi.advanceTimersByTime(62_000);
    expect((await delivery.deliver(buildHeartbeat(3))).kind).toBe('delivered');
    expect(spool.size).toBe(0);
  });

  it('honors Retry-After', async () => {
    const { delivery } = setUp();
    reply = (response) => response.writeHead(429, { 'retry-after': '120' }).end();
    await delivery.deliver(buildHeartbeat(1));
    now += 119_000;
    await delivery.deliver(buildHeartbeat(2));
    expect(received).toHaveLength(1);
    now += 1000;
    await delivery.deliver(buildHeartbeat(3));
    expect(received).toHaveLength(2);
  });

  it('does not wait much longer than Retry-After says, however often the server repeats it', async () => {
    const { delivery } = setUp();
    reply = (response) => response.writeHead(503, { 'retry-after': '30' }).end();
    const attempts: number[] = [];
    for (let second = 0; second < 600; second += 15) {
      const before = received.length;
      await delivery.deliver(buildHeartbeat(second));
      if (received.length > before) attempts.push(second);
      now += 15_000;
    }
    expect(attempts.slice(0, 5)).toEqual([0, 30, 60, 90, 120]);
    expect(Math.max(...attempts.slice(1).map((at, i) => at - (attempts[i] ?? 0)))).toBe(45);
  });

  it('waits longer each time when the server names a short time', async () => {
    const { delivery } = setUp();
    reply = (response) => response.writeHead(503, { 'retry-after': '2' }).end();
    const attempts: number[] = [];
    for (let second = 0; second < 400; second += 1) {
      const before = received.length;
      await delivery.deliver(buildHeartbeat(second));
      if (received.length > before) attempts.push(second);
      now += 1_000;
    }
    const gaps = attempts.slice(1).map((at, i) => at - (attempts[i] ?? 0));
    expect(gaps.slice(0, 5)).toEqual([2, 4, 8, 16, 32]);
    expect(new Set(gaps.slice(5))).toEqual(new Set([45]));
  });

  it('stops retrying what the server refuses permanently, and reports the reason', async () => {
    const { delivery, spool } = setUp();
    reply = (response) =>
      response.writeHead(401, { 'content-type': 'application/problem+json' }).end('{"detail":"revoked"}');
    expect(await delivery.deliver(buildHeartbeat(1))).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(/revoked.*Enroll again/),
    });
    expect(spool.size).toBe(0);
    reply = (response) => response.writeHead(408).end();
    expect((await delivery.deliver(buildHeartbeat(2))).kind).toBe('stored');
  });

  it('keeps the backlog when the server fails again in the middle of it', async () => {
    const { delivery, spool } = setUp();
    for (const sequence of [1, 2, 3]) delivery.store(buildHeartbeat(sequence));
    reply = (response, sequence) => (sequence === 2 ? response.writeHead(503).end() : ok(response));
    expect((await delivery.deliver(buildHeartbeat(4))).kind).toBe('delivered');
    expect(received.map(({ sequence }) => sequence)).toEqual([4, 3, 2]);
    expect(spool.size).toBe(2);
  });

  it('keeps what a proxy or another service acknowledges', async () => {
    const { delivery, spool } = setUp();
    delivery.store(buildHeartbeat(1));
    const bodies = ['<html>maintenance</html>', '', '{}', 'null', '{"status":"ok"}', '{"accepted":1,"updated":0}'];
    for (const [index, body] of bodies.entries()) {
      reply = (response) => response.writeHead(200).end(body);
      expect(await delivery.deliver(buildHeartbeat(index + 2))).toMatchObject({
        kind: 'stored',
        reason: expect.stringMatching(/not from Fabric.*server_url/),
      });
      now += 400_000;
    }
    expect(spool.size).toBe(bodies.length + 1);
    // In the middle of the backlog as well.
    reply = (response, sequence) => (sequence === 9 ? ok(response) : response.writeHead(200).end('<html>'));
    expect((await delivery.deliver(buildHeartbeat(9))).kind).toBe('delivered');
    expect(spool.size).toBe(bodies.length + 1);
  });

  it('drops an old heartbeat the server refuses, and continues with the next', async () => {
    const { delivery, spool } = setUp();
    delivery.store(buildHeartbeat(1));
    delivery.store(buildHeartbeat(2));
    reply = (response, sequence) => (sequence === 2 ? response.writeHead(413).end() : ok(response));
    await delivery.deliver(buildHeartbeat(3));
    expect(received.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
    expect(spool.size).toBe(0);
  });

  it('survives a server that hangs up or is not there', async () => {
    const { delivery } = setUp();
    reply = (response) => response.destroy();
    expect((await delivery.deliver(buildHeartbeat(1))).kind).toBe('stored');
    const nowhere = new Delivery(
      { url: new URL('http://127.0.0.1:1'), trust: { caFile: null, fingerprint: null } },
      () => 'token',
      new Spool(join(directory, 'other')),
    );
    expect(await nowhere.deliver(buildHeartbeat(3))).toMatchObject({
      kind: 'stored',
      reason: expect.stringContaining('connection to 127.0.0.1:1 refused'),
    });
  });
});

describe('Spool', () => {
  it('keeps within count, bytes and age, oldest out first, over restarts', () => {
    const limits = { files: 3, bytes: 100, ageMilliseconds: 1000 };
    const spool = new Spool(directory, limits, () => now);
    for (const text of ['a', 'b', 'c', 'd']) spool.put(Buffer.from(text));
    expect(spool.size).toBe(3);
    expect(spool.discarded).toBe(1);
    const again = new Spool(directory, limits, () => now);
    expect(again.newest()?.body.toString()).toBe('d');
    now += 500;
    again.put(Buffer.alloc(99));
    expect(again.size).toBe(2);
    now += 501;
    expect(again.newest()?.body).toHaveLength(99);
    expect(again.size).toBe(1);
    again.put(Buffer.alloc(101));
    expect(again.size).toBe(0);
  });

  it('keeps the newest when the clock is put back', () => {
    const limits = { files: 3, bytes: 100, ageMilliseconds: 24 * 3_600_000 };
    const spool = new Spool(directory, limits, () => now);
    for (const text of ['a', 'b']) spool.put(Buffer.from(text));
    now -= 6 * 3_600_000;
    for (const text of ['c', 'd']) spool.put(Buffer.from(text));
    const kept = [];
    for (let entry = spool.newest(); entry; entry = spool.newest()) {
      kept.push(entry.body.toString());
      spool.remove(entry.name);
    }
    expect(kept).toEqual(['d', 'c', 'b']);
  });

  it('removes half-written files at the start', () => {
    new Spool(directory).put(Buffer.from('whole'));
    writeFileSync(join(directory, '000000000000001-000001.json.gz.tmp'), 'half');
    const spool = new Spool(directory);
    expect(readdirSync(directory)).toHaveLength(1);
    expect(spool.newest()?.body.toString()).toBe('whole');
  });
});

describe('backoff', () => {
  it('stays within its growing span', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const delay = backoffDelay(failures, () => random);
          return delay >= 0 && delay <= Math.min(300_000, 2000 * 2 ** failures);
        },
      ),
    );
    expect(addJitter(100, () => 0)).toBe(90);
    expect(addJitter(100, () => 1)).toBeCloseTo(110);
  });

  it('reads Retry-After as seconds or date, bounded', () => {
    const date = Date.UTC(2026, 0, 1);
    expect(retryAfter('7', date)).toBe(7000);
    expect(retryAfter('Thu, 01 Jan 2026 00:00:10 GMT', date)).toBe(10_000);
    expect(retryAfter('Wed, 31 Dec 2025 00:00:00 GMT', date)).toBe(0);
    expect(retryAfter('999999', date)).toBe(3_600_000);
    expect([retryAfter('soon', date), retryAfter(undefined, date)]).toEqual([null, null]);
  });
});

describe('readAnswer', () => {
  it('never throws and keeps the interval within its bounds', () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        const answer = readAnswer(body);
        return answer === null || (answer.next_interval_seconds >= 5 && answer.next_interval_seconds <= 3600);
      }),
    );
    const answer = { accepted: 0, updated: 0, rejected: [] };
    expect(readAnswer({ ...answer, next_interval_seconds: 1 })?.next_interval_seconds).toBe(5);
    expect(readAnswer(answer)?.next_interval_seconds).toBe(30);
  });
});
