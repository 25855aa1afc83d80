import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Flow, flowSchema, type HeartbeatAnswer } from '@fabric/agent-contract';
import { AGENT_VERSION } from '@fabric/agent-contract/limits';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from './testing/heartbeat.fixture';

const sql = sqlClient();
const FIXTURES = join(process.cwd(), 'agent/contract/fixtures');
let cluster: { id: string };
let node: { id: string };
let agent: { authorization: string };

beforeAll(async () => {
  cluster = await makeCluster();
});
beforeEach(async () => {
  node = await makeNode(cluster);
  agent = await makeAgent(node);
});

async function sendHeartbeat(body: unknown): Promise<HeartbeatAnswer> {
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers: agent });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

/** For each field what is wrong, and so refused; fields of one kind share their wrong values. */
const NO_TEXT = [1, true, {}, []];
const ADDRESS = [null, '', '10.0.0', '10.0.0.256', '10.0.0.1/32', 'fe80::1%eth0', 'host', ...NO_TEXT];
const PORT = [-1, 65_536, 1.5, '443', true];
const COUNTER = [-1, 1.5, 2 ** 53, '1', true, {}];
const TIME = [null, '', 'yesterday', '2026-13-01T00:00:00Z', '2026-01-01', 1_700_000_000];
const BYTE = [-1, 256, 1.5, '8', null];
const WRONG: Record<keyof Flow, readonly unknown[]> = {
  source_ip: [undefined, ...ADDRESS],
  // The source of all of these is an IPv4 address.
  destination_ip: [undefined, ...ADDRESS, '2001:db8::1'],
  protocol: [undefined, null, '', 'TCP', 'tcp ', '-tcp', 'x'.repeat(33), ...NO_TEXT],
  source_port: [undefined, ...PORT],
  destination_port: [undefined, ...PORT],
  decision: [undefined, null, '', 'maybe', 'ACCEPT', ...NO_TEXT],
  state: [undefined, 'x'.repeat(33), ...NO_TEXT],
  bytes: [undefined, ...COUNTER],
  packets: [undefined, ...COUNTER],
  delta_bytes: [null, ...COUNTER],
  delta_packets: [null, ...COUNTER],
  first_seen_at: TIME,
  observed_at: [undefined, ...TIME],
  collector: [undefined, null, 'x'.repeat(65), ...NO_TEXT],
  initiator: [null, 'client', ...NO_TEXT],
  icmp_type: BYTE,
  icmp_code: BYTE,
  interface: [null, '', 'x'.repeat(65), ...NO_TEXT],
  vmid: [0, -1, 1_000_000_000, 1.5, '100', null],
  nic: BYTE,
  vlan: [0, 4095, 1.5, '7', null],
  raw: [
    null,
    'text',
    [],
    { nested: { deep: 1 } },
    { long: 'x'.repeat(501) },
    { many: new Array(33).fill(1) },
    { ['x'.repeat(65)]: 1 },
  ],
};

describe('wrong flows', () => {
  it('cover every field of a flow', () => {
    expect(Object.keys(WRONG).sort()).toEqual(Object.keys(flowSchema.shape).sort());
  });

  it('get a reason each, by index, without cost to the good ones between them', async () => {
    const cases = Object.entries(WRONG).flatMap(([field, values]) => values.map((value) => ({ field, value })));
    const flows: unknown[] = [];
    for (const [i, { field, value }] of cases.entries()) {
      flows.push({ ...makeFlow({ source_port: i }), [field]: value });
      flows.push(makeFlow({ source_port: 10_000 + i }));
    }
    const others = [null, 'flow', 7, [], true, {}];
    const { accepted, rejected } = await sendHeartbeat(makeHeartbeat([...flows, ...others]));
    expect(accepted).toBe(cases.length);
    expect(rejected.map(({ index }) => index)).toEqual([
      ...cases.map((_, i) => 2 * i),
      ...others.map((_, i) => flows.length + i),
    ]);
    for (const [i, { field, value }] of cases.entries()) {
      const reason = rejected[i]?.reason ?? '';
      expect(reason.split(/[.:]/)[0], `${field} = ${JSON.stringify(value)}: ${reason}`).toBe(field);
      expect(reason.length).toBeGreaterThan(field.length + 5);
    }
    const [stored] = await sql`select count(*)::int as n from traffic_flows where node_id = ${node.id}`;
    expect(stored?.n).toBe(cases.length);
  });
});

describe('other versions of the agent', () => {
  const recorded = readdirSync(FIXTURES).map((file) => ({ file, text: readFileSync(join(FIXTURES, file), 'utf8') }));

  it('have been recorded, the current one too', () => {
    expect(recorded.map(({ file }) => file)).toContain(`heartbeat-${AGENT_VERSION}.json`);
  });

  it.each(recorded)('parse: $file', async ({ text }) => {
    const heartbeat = JSON.parse(text);
    const time = fakeClock(new Date(heartbeat.sent_at));
    try {
      const answer = await sendHeartbeat(heartbeat);
      expect(answer).toMatchObject({ accepted: heartbeat.flows.length, updated: 0, rejected: [] });
      expect(heartbeat.flows.length).toBeGreaterThan(2);
    } finally {
      time.restore();
    }
    const [row] = await sql`select agent_version, payload from node_agents where node_id = ${node.id}`;
    expect(row?.agent_version).toBe(heartbeat.agent_version);
    expect(row?.payload.flow_count).toBe(heartbeat.flows.length);
    const [sums] = await sql`select sum(bytes)::int as bytes from traffic_flows where node_id = ${node.id}`;
    const bytes = heartbeat.flows.reduce((sum: number, flow: Flow) => sum + (flow.bytes ?? 0), 0);
    expect(sums?.bytes).toBe(bytes);
  });

  it('may send unknown fields, collectors and states in the future', async () => {
    const flow = { ...makeFlow({ collector: 'xdp' }), application: 'http', path: ['a', { b: 1 }] };
    const later = {
      ...makeHeartbeat([flow]),
      protocol_version: 2,
      agent_version: '9.0.0-rc.1+build',
      tunnels: [{ name: 'wg0' }],
      interfaces: [],
    };
    expect(await sendHeartbeat(later)).toMatchObject({ accepted: 1, rejected: [] });
  });
});
