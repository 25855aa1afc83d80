import { createServer } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { makeCluster, makeNode } from '@/test/factories';
import { setUpDestinations } from './testing/destinations.fixture';
import { advanceTime, makeConnection, storeFlows } from './testing/stored-traffic.fixture';

const sql = sqlClient();
const MINUTE = 60;
const { getProgress, forward, setProcessors, create } = setUpDestinations();
let node: { node_id: string; cluster_id: string };

beforeAll(async () => {
  const cluster = await makeCluster();
  node = { node_id: (await makeNode(cluster)).id, cluster_id: cluster.id };
});

it.each([
  ['idle', 300, 1],
  ['busy', 50, 19],
] as const)('pauses between batches while processors are %s, and then sends the rest', async (state, took, pauses) => {
  setProcessors(state);
  const times: { from: number; to: number; lines: number }[] = [];
  const server = createServer((request, response) => {
    const from = performance.now();
    let lines = 0;
    request.on('data', (chunk: Buffer) => {
      lines += chunk.toString().split('\n').length - 1;
    });
    request.on('end', () =>
      setTimeout(() => {
        times.push({ from, to: performance.now(), lines });
        response.writeHead(200).end();
      }, took),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const destination = await create({ kind: 'http', url: `http://127.0.0.1:${port}/`, streams: ['conversations'] });
  await storeFlows(
    node,
    Array.from({ length: 1100 }, (_, i) => makeConnection(i, { sent: 100, received: null })).flat(),
  );
  await advanceTime(15 * MINUTE);
  await forward(destination);
  await new Promise((resolve) => server.close(resolve));
  setProcessors('idle');
  expect(times.reduce((sum, { lines }) => sum + lines, 0)).toBe(1100);
  expect(times.length).toBeGreaterThan(1);
  // Sleep is never shorter than asked for, but for the resolution of timers.
  for (const [i, { from }] of times.slice(1).entries())
    expect(from - (times[i]?.to ?? 0)).toBeGreaterThan(took * pauses - 10);
});

it('waits after a failure for as long as the receiver asks for, at least longer each time', async () => {
  const answers: Record<string, string>[] = [{ 'retry-after': '900' }, {}, {}, { 'retry-after': '1' }];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(503, answers.shift()).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const destination = await create({ kind: 'http', url: `http://127.0.0.1:${port}/`, streams: ['audit'] });
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    await forward(destination);
    const { last_failed_at, next_attempt_at } = await getProgress(destination.id, 'audit');
    pauses.push((Date.parse(next_attempt_at ?? '') - Date.parse(last_failed_at ?? '')) / 1000);
    await sql`update forwarding_streams set next_attempt_at = null`;
  }
  await new Promise((resolve) => server.close(resolve));
  expect(pauses).toEqual([900, 15, 30, 60, 120, 300, 300, 300]);
});
