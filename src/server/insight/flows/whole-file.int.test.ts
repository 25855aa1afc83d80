import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { bearer, makeAgent, makeCluster, makeNode, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlows, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';

const ROWS = 3_000;
/** What agents report again while a file is read: the oldest, which is read last. */
const AGAIN = 200;
const MINUTE = 60_000;
const NOW = Date.now();

type Headers = { authorization: string };
let admin: Headers;
let agent: Headers;

async function report(from: number, to: number, minutes: number): Promise<void> {
  await sqlClient()`delete from rate_limits`;
  // The later in the list, the older.
  const flows = makeFlows(to - from, from).map((flow, i) => ({
    ...flow,
    first_seen_at: new Date(NOW - 40 * MINUTE).toISOString(),
    observed_at: new Date(NOW - minutes * MINUTE - (from + i)).toISOString(),
  }));
  const response = await call('/agents/heartbeat', {
    ...{ method: 'POST', headers: agent },
    body: makeHeartbeat(flows, { boot_id: randomUUID() }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
}

beforeAll(async () => {
  admin = await bearer(await makeUser('admin'));
  agent = await makeAgent(await makeNode(await makeCluster()));
});

describe('the file of a list of which rows are reported again while it is read', () => {
  it.each([
    ['flows', 'source_port'],
    ['conversations', 'client_port'],
  ])('has each of the %s once', async (name, column) => {
    await sqlClient()`truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_unresolved_minutes`;
    for (let from = 0; from < ROWS; from += 500) await report(from, from + 500, 5);
    const response = await call(`/${name}?format=csv`, { headers: admin });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let chunks = 0; ; chunks++) {
      const { value, done } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      if (chunks === 1) await report(ROWS - AGAIN, ROWS, 1);
    }
    const [head = '', ...lines] = text.trim().split('\r\n');
    const place = head.split(',').indexOf(column);
    const ports = lines.map((line) => Number(line.split(',')[place]));
    // In the order of the list at the beginning.
    expect(ports).toEqual(Array.from({ length: ROWS }, (_, i) => 1024 + i));
  });

  it('gives its connection back when the reader leaves', async () => {
    const response = await call('/flows?format=csv', { headers: admin });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    const open = await sqlClient()`select 1 from pg_stat_activity
      where application_name = 'fabric-heavy' and state <> 'idle' and datname = current_database()`;
    expect(open).toEqual([]);
  });
});
