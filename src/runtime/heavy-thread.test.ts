import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEAVY_ELSEWHERE } from '@/domain/heavy-operations';
import { STAMPED } from '@/server/auth/origin';
import { metricsText } from '@/server/lib/metrics';
import { type HeavyThread, startHeavyThread } from './heavy-thread';
import { installHttpEntry } from './http-entry';

/** Test double for the program of the thread: echoes the request, exits, or never responds. */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  let gone = 0;
  const server = require('node:http').createServer(async (request, response) => {
    if (request.headers['x-fabric-heavy'] !== workerData.secret) return response.writeHead(403).end();
    if (request.url === '/metrics') return response.end(JSON.stringify([
      { name: 'fabric_sign_ins_total', help: 'h', type: 'counter', aggregator: 'sum', values: [{ labels: { result: 'ok' }, value: 41 }] },
    ]));
    if (request.url.includes('q=young')) return response.end(String(require('node:worker_threads').resourceLimits.maxYoungGenerationSizeMb));
    if (request.url.includes('q=end')) process.exit(1);
    if (request.url.includes('q=gone')) return response.end(String(gone));
    if (request.url.includes('q=hang')) return response.on('close', () => { gone += 1; });
    if (request.url.includes('q=block')) for (const until = Date.now() + 700; Date.now() < until; );
    let body = '';
    for await (const chunk of request) body += chunk;
    response.setHeader('x-answer', 'heavy');
    response.end(JSON.stringify({ method: request.method, url: request.url, body, peer: request.headers['x-fabric-peer'] }));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
const create = http.createServer;
let thread: HeavyThread;
let server: http.Server;
let url: string;

beforeAll(async () => {
  thread = await startHeavyThread(
    new URL(
      `data:text/javascript,${encodeURIComponent(`
    import { createRequire } from 'node:module'; const require = createRequire('/'); ${PROGRAM}`)}`,
    ),
  );
  installHttpEntry(['127.0.0.1/32'], { heavy: thread.forward });
  // Stub for Next.
  server = http.createServer((_request, response) => response.end('light'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});
afterAll(async () => {
  http.createServer = create;
  Reflect.deleteProperty(globalThis, STAMPED);
  Reflect.deleteProperty(globalThis, HEAVY_ELSEWHERE);
  Reflect.deleteProperty(globalThis, Symbol.for('fabric.other-metrics'));
  server.closeAllConnections();
  server.close();
  await thread.stop();
});

describe('the thread for heavy requests', () => {
  it('answers heavy requests, with their bodies and where they came from, and no others', async () => {
    const heavy = await fetch(`${url}/policy-drafts/preview`, {
      method: 'POST',
      body: 'a draft',
      headers: { 'x-forwarded-for': '192.0.2.7', 'x-fabric-heavy': 'forged' },
    });
    expect(heavy.headers.get('x-answer')).toBe('heavy');
    expect(heavy.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(heavy.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await heavy.json()).toEqual({
      method: 'POST',
      url: '/api/v1/policy-drafts/preview',
      body: 'a draft',
      peer: '192.0.2.7',
    });
    expect(await (await fetch(`${url}/auth/me`)).text()).toBe('light');
    expect(await (await fetch(`${url}/flows?format=csv`)).json()).toMatchObject({ url: '/api/v1/flows?format=csv' });
  });

  it('has a small young generation', async () => {
    expect(await (await fetch(`${url}/topology?q=young`)).text()).toBe('12');
  });

  it('leaves light requests free while it computes', async () => {
    const heavy = fetch(`${url}/topology?q=block`).then(() => performance.now());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await (await fetch(`${url}/auth/me`)).text()).toBe('light');
    const answered = performance.now();
    expect(answered).toBeLessThan(await heavy);
  });

  it('learns when a client goes away', async () => {
    const gone = new AbortController();
    const hanging = fetch(`${url}/topology?q=hang`, { signal: gone.signal });
    await new Promise((resolve) => setTimeout(resolve, 100));
    gone.abort();
    await expect(hanging).rejects.toThrow();
    await expect.poll(async () => (await fetch(`${url}/topology?q=gone`)).text()).toBe('1');
  });

  it('adds what it measured to the metrics of the process', async () => {
    await metricsText();
    // Reading starts the measurement again, and it compares with its first tick.
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const until = Date.now() + 100; Date.now() < until; );
    await new Promise((resolve) => setTimeout(resolve, 20));
    const text = await metricsText();
    // The longest delay since the previous scrape is still known.
    expect(Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1])).toBeGreaterThan(0.05);
    expect(text).toMatch(/fabric_sign_ins_total\{result="ok"\} 41/);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).toMatch(/^process_start_time_seconds \d/m);
    // While the thread computes, the metrics contain its previous report, and the scrape does not wait for it.
    let computes = true;
    const heavy = fetch(`${url}/topology?q=block`).finally(() => {
      computes = false;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await metricsText()).toMatch(/fabric_sign_ins_total\{result="ok"\} 41/);
    expect(computes).toBe(true);
    await heavy;
  });

  it('restarts when it ends; until then heavy requests get 503 and light ones continue', async () => {
    const lost = await fetch(`${url}/topology?q=end`);
    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await lost.json()).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('Try again') });
    expect((await fetch(`${url}/topology`)).status).toBe(503);
    expect(await (await fetch(`${url}/auth/me`)).text()).toBe('light');
    await expect.poll(async () => (await fetch(`${url}/topology`)).status).toBe(200);
  });
});
