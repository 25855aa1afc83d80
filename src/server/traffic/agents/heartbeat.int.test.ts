import { gzipSync } from 'node:zlib';
import type { HeartbeatAnswer } from '@fabric/agent-contract';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { bearer, makeAgent, makeCluster, makeNode, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeFlows, makeHeartbeat } from './testing/heartbeat.fixture';

type Headers = { authorization: string };
let cluster: { id: string };
let node: { id: string };
let agent: Headers;
const sql = sqlClient();

beforeAll(async () => {
  cluster = await makeCluster();
});
beforeEach(async () => {
  node = await makeNode(cluster);
  agent = await makeAgent(node);
});

const post = (body: unknown, headers: Record<string, string> = agent) =>
  call('/agents/heartbeat', { method: 'POST', body, headers });
async function sendHeartbeat(body: unknown, headers: Headers = agent): Promise<HeartbeatAnswer> {
  const response = await post(body, headers);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}
const listFlows = (of = node) => sql`select * from traffic_flows where node_id = ${of.id} order by source_port`;
const agentRow = async () => (await sql`select * from node_agents where node_id = ${node.id}`)[0];
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe('POST /agents/heartbeat', () => {
  it('stores flows and answers what became of each', async () => {
    expect(await sendHeartbeat(makeHeartbeat(makeFlows(3)))).toEqual({
      accepted: 3,
      updated: 0,
      rejected: [],
      next_interval_seconds: 30,
    });
    expect(await sendHeartbeat(makeHeartbeat(makeFlows(5)))).toMatchObject({ accepted: 2, updated: 3 });
    expect(await listFlows()).toHaveLength(5);
  });

  it('updates a known flow in place: totals, state, time and evidence', async () => {
    await sendHeartbeat(
      makeHeartbeat([makeFlow({ bytes: 100, packets: 1, state: 'SYN_SENT', observed_at: minutesAgo(2) })]),
    );
    await sendHeartbeat(
      makeHeartbeat([makeFlow({ bytes: 250, packets: 3, state: 'ESTABLISHED', raw: { chain: 'x' } })]),
    );
    const rows = await listFlows();
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ bytes: '250', packets: '3', state: 'ESTABLISHED', raw: { chain: 'x' } });
    expect(Date.parse(String(rows[0]?.first_seen_at))).toBeLessThan(Date.parse(String(rows[0]?.observed_at)));
  });

  it('tells flows apart by every part of their identity', async () => {
    const others = [
      makeFlow(),
      makeFlow({ source_ip: '192.0.2.11' }),
      makeFlow({ destination_ip: '198.51.100.21' }),
      makeFlow({ protocol: 'udp' }),
      makeFlow({ source_port: null }),
      makeFlow({ destination_port: 80 }),
      makeFlow({ decision: 'drop' }),
    ];
    expect(await sendHeartbeat(makeHeartbeat(others))).toMatchObject({ accepted: others.length });
    // The same address in another spelling, twice in one heartbeat, is one flow.
    const twice = ['2001:db8::1', '2001:DB8:0:0:0:0:0:1'].map((source_ip) =>
      makeFlow({ source_ip, destination_ip: '2001:db8::2' }),
    );
    expect(await sendHeartbeat(makeHeartbeat(twice))).toMatchObject({ accepted: 1, updated: 1 });
  });

  it('keeps what was observed later when reports arrive in the wrong order', async () => {
    await sendHeartbeat(makeHeartbeat([makeFlow({ bytes: 500 })]));
    expect(await sendHeartbeat(makeHeartbeat([makeFlow({ bytes: 100, observed_at: minutesAgo(3) })]))).toMatchObject({
      updated: 1,
    });
    expect((await listFlows())[0]).toMatchObject({ bytes: '500' });
  });

  it('rejects bad flows by index and keeps the good ones', async () => {
    const answer = await sendHeartbeat(
      makeHeartbeat([
        makeFlow(),
        { ...makeFlow({ source_port: 2 }), source_ip: '10.0.0.999' },
        { ...makeFlow({ source_port: 3 }), bytes: -1 },
        null,
        makeFlow({ source_port: 4, observed_at: minutesAgo(25 * 60) }),
        makeFlow({ source_port: 5, state: 'NUL\0 and \ud800', raw: { 'a\0': ['\0'] } }),
      ]),
    );
    expect(answer).toMatchObject({ accepted: 2, updated: 0 });
    expect(answer.rejected.map(({ index }) => index)).toEqual([1, 2, 3, 4]);
    expect(answer.rejected[0]?.reason).toContain('source_ip');
    expect(answer.rejected[3]?.reason).toContain('older than the flow retention of 24 hours');
    expect(await listFlows()).toHaveLength(2);
  });

  it('recognizes a repeated heartbeat and counts nothing twice', async () => {
    const heartbeat = makeHeartbeat([...makeFlows(2), 'bad']);
    const first = await sendHeartbeat(heartbeat);
    expect(await sendHeartbeat(heartbeat)).toEqual({ ...first, duplicate: true });
    const [sum] = await sql`select sum(bytes)::int as bytes from flow_rollup_minutes where node_id = ${node.id}`;
    expect(sum).toEqual({ bytes: 201 });
    expect((await sendHeartbeat({ ...heartbeat, sequence: 1 })).duplicate).toBeUndefined();
  });

  it('puts times of the future to now and corrects a clock that is wrong', async () => {
    const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
    await sendHeartbeat(makeHeartbeat([makeFlow({ observed_at: ahead(5_000) })]));
    expect(Date.parse(String((await listFlows())[0]?.observed_at))).toBeLessThanOrEqual(Date.now());
    const hour = 3_600_000;
    const late = makeFlow({ source_port: 9, observed_at: ahead(48 * hour - 60_000) });
    expect(await sendHeartbeat(makeHeartbeat([late], { sent_at: ahead(48 * hour) }))).toMatchObject({ accepted: 1 });
    const age = Date.now() - Date.parse(String((await listFlows())[0]?.observed_at));
    expect(age).toBeGreaterThan(55_000);
    expect(age).toBeLessThan(90_000);
    expect(Number((await agentRow())?.clock_offset_ms)).toBeGreaterThan(47 * hour);
  });

  it('counts what the agent kept during an outage at its own time, and leaves the state of now alone', async () => {
    const boot_id = '0190a0a0-0000-7000-8000-000000000001';
    await sendHeartbeat(makeHeartbeat([], { boot_id, sequence: 7, agent_version: 'new' }));
    const kept = makeFlow({ observed_at: minutesAgo(130), bytes: 77 });
    const late = makeHeartbeat([kept], { boot_id, sequence: 3, sent_at: minutesAgo(129), agent_version: 'old' });
    expect(await sendHeartbeat(late)).toMatchObject({ accepted: 1 });
    const stored = Date.parse(String((await listFlows())[0]?.observed_at));
    expect(Date.now() - stored).toBeGreaterThan(129 * 60_000);
    expect(await agentRow()).toMatchObject({ agent_version: 'new', last_sequence: '7' });
    expect(Math.abs(Number((await agentRow())?.clock_offset_ms))).toBeLessThan(10_000);
  });

  it('keeps the agent: version, machine, hash, firewall, and a compacted payload', async () => {
    const firewall_status = {
      implementation: 'nftables' as const,
      service_running: true,
      cluster_enabled: null,
      rules_loaded: true,
      guest_chains: 4,
    };
    await sendHeartbeat(makeHeartbeat(makeFlows(70), { firewall_status, nftables_ruleset_hash: 'ab'.repeat(32) }));
    const row = await agentRow();
    expect(row).toMatchObject({ status: 'ok', agent_version: '0.2.0', firewall_status, interval_seconds: 30 });
    expect(row?.nftables_ruleset_hash).toBe('ab'.repeat(32));
    expect(row?.payload).toMatchObject({ flow_count: 70, flows_truncated: true });
    expect(row?.payload.flows).toHaveLength(50);
    await sendHeartbeat(makeHeartbeat(makeFlows(50)));
    expect((await agentRow())?.payload).toMatchObject({ flow_count: 50, flows_truncated: false });
    const elsewhere = await post(makeHeartbeat([], { machine_id: 'f'.repeat(32) }));
    expect(elsewhere.status).toBe(403);
  });

  it('names the guests and subnets at the ends soon after they came into being, and counts nothing twice', async () => {
    const flows = [makeFlow({ source_ip: '203.0.113.5' }), makeFlow({ source_port: 50_000, vmid: 4242 })];
    await sendHeartbeat(makeHeartbeat(flows));
    const guest = await makeWorkload(cluster, null, { vmid: 4242, node_id: node.id });
    const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
      values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
    const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '203.0.113.0/24', 'manual') returning id`;
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, '203.0.113.5', ${guest.id}, 'manual')`;
    // The inventory may be looked at again up to two seconds after the last look.
    const reportAndRead = async () => {
      await sendHeartbeat(makeHeartbeat(flows));
      const stored = await listFlows();
      return Boolean(stored[0]?.source_cidr) && stored.some(({ workload_id }) => workload_id);
    };
    await expect.poll(reportAndRead).toBe(true);
    const rows = await listFlows();
    expect(rows[0]).toMatchObject({
      source_workload_id: guest.id,
      destination_workload_id: null,
      source_cidr: '203.0.113.0/24',
      destination_cidr: null,
    });
    // What the node reported of an interface that nothing was known about stays a conversation of its own.
    const [before, since] = rows
      .slice(1)
      .sort((a, b) => Number(a.workload_id !== null) - Number(b.workload_id !== null));
    const unknown = { source_workload_id: null, destination_workload_id: null };
    expect(before).toMatchObject({ ...unknown, workload_id: null, bytes: '1000', packets: '10' });
    expect(since).toMatchObject({ ...unknown, workload_id: guest.id, bytes: '0', packets: '0' });
    expect(rows).toHaveLength(3);
  });

  it('keeps interface counters as a time series', async () => {
    const counters = { rx_packets: 1, rx_errors: 0, rx_dropped: 0, tx_packets: 2, tx_errors: 0, tx_dropped: 0 };
    const tap = { name: 'tap100i0', kind: 'tap', vmid: 100, nic: 0, rx_bytes: 10, tx_bytes: 20, ...counters };
    await sendHeartbeat(makeHeartbeat([], { interfaces: [tap, tap] }));
    const traffic = { interface: 'tap100i0', vmid: 100, nic: 0, bytes: 30, packets: 3, collector: 'interface' };
    const seen = { rx_bytes: 20, rx_packets: 2, tx_bytes: 10, tx_packets: 1, observed_at: new Date().toISOString() };
    await sendHeartbeat(makeHeartbeat([], { interfaces: [tap], interface_traffic: [{ ...traffic, ...seen }] }));
    expect(await sql`select * from interface_samples where node_id = ${node.id}`).toHaveLength(2);
    expect(await sql`select * from interface_traffic where node_id = ${node.id}`).toHaveLength(1);
  });

  it('lets only agents in', async () => {
    const root = await bearer(await makeUser('super_admin'));
    for (const headers of [{}, root, { authorization: `Bearer fabric_node_${'a'.repeat(43)}` }]) {
      expect((await post(makeHeartbeat(), headers as Headers)).status).toBe(401);
    }
    expect((await call('/nodes', { headers: agent })).status).toBe(401);
  });

  it('takes gzip, and no more than 16 MB before and after inflating', async () => {
    const encoded = { ...agent, 'content-encoding': 'gzip', 'content-type': 'application/json' };
    const good = await post(gzipSync(JSON.stringify(makeHeartbeat(makeFlows(2)))), encoded);
    expect(await good.json()).toMatchObject({ accepted: 2 });
    const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024, ' '));
    expect((await post(bomb, encoded)).status).toBe(413);
    expect((await post(' '.repeat(17 * 1024 * 1024))).status).toBe(413);
    expect((await post(Buffer.from('no gzip'), encoded)).status).toBe(400);
  });
});

describe('heartbeats side by side', () => {
  it('store all reports of 64 nodes', async () => {
    const nodes = await Promise.all(Array.from({ length: 64 }, () => makeNode(cluster)));
    const tokens = await Promise.all(nodes.map((n) => makeAgent(n)));
    const answers = await Promise.all(tokens.map((token) => sendHeartbeat(makeHeartbeat(makeFlows(100)), token)));
    expect(answers.every((answer) => answer.accepted === 100)).toBe(true);
    for (const one of nodes.slice(0, 5)) expect(await listFlows(one)).toHaveLength(100);
  });

  it('cause no deadlock and store each flow once for one node', async () => {
    for (let round = 0; round < 5; round++) {
      const shuffled = Array.from({ length: 8 }, (_, i) => makeFlows(400, round * 400 + i * 50).reverse());
      const answers = await Promise.all(shuffled.map((flows) => sendHeartbeat(makeHeartbeat(flows))));
      for (const { accepted, updated } of answers) expect(accepted + updated).toBe(400);
    }
    // Five rounds of eight windows of 400 that begin 50 apart: 400 + 7 * 50 + 4 * 400.
    expect(await listFlows()).toHaveLength(2350);
    const [sums] = await sql`select sum(flows)::int as flows from flow_rollup_minutes where node_id = ${node.id}`;
    expect(sums?.flows).toBe(2350);
  });

  it('count once per sequence number', async () => {
    const heartbeat = makeHeartbeat(makeFlows(10));
    const answers = await Promise.all(Array.from({ length: 6 }, () => sendHeartbeat(heartbeat)));
    expect(answers.filter((answer) => !answer.duplicate)).toHaveLength(1);
    expect(answers.every((answer) => answer.accepted === 10)).toBe(true);
  });
});

describe('any flows', () => {
  it('cause an acceptance, update or rejection each, never a failure', async () => {
    const strange = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.constant(null));
    const flow = fc
      .record(
        {
          bytes: fc.oneof(fc.maxSafeNat(), fc.constant(null)),
          packets: fc.maxSafeNat(),
          delta_bytes: fc.maxSafeNat(),
          first_seen_at: fc
            .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
            .map((d) => d.toISOString()),
          state: fc.string({ unit: 'binary', maxLength: 32 }),
          source_ip: fc.oneof(fc.ipV4(), fc.ipV6()),
          raw: fc.dictionary(
            fc.string({ maxLength: 64 }),
            fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean()),
          ),
          icmp_type: fc.nat(300),
          vmid: fc.nat(),
          interface: fc.string({ unit: 'binary' }),
          collector: strange,
        },
        { requiredKeys: [] },
      )
      .map((values) => ({ ...makeFlow(), ...values }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: flow }, strange), { maxLength: 30 }),
        async (flows) => {
          const { accepted, updated, rejected } = await sendHeartbeat(makeHeartbeat(flows));
          expect(accepted + updated + rejected.length).toBe(flows.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});
