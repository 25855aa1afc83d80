import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { bearer, makeAgent, makeCluster, makeNode, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { watchAgents } from '../agents/agents';
import { makeFlow, makeFlows, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { retainTelemetry } from './upkeep';

const sql = sqlClient();
let cluster: { id: string };
let node: { id: string };
let agent: { authorization: string };

beforeAll(async () => {
  cluster = await makeCluster();
});
beforeEach(async () => {
  await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, interface_samples`;
  node = await makeNode(cluster);
  agent = await makeAgent(node);
});

const sendHeartbeat = async (body: unknown) => {
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers: agent });
  expect(response.status).toBe(200);
};
/** As if everything had happened earlier. */
const age = async (hours: number) => {
  const interval = `${hours} hours`;
  await sql`update traffic_flows set observed_at = observed_at - ${interval}::interval`;
  await sql`update flow_rollup_minutes set bucket_at = bucket_at - ${interval}::interval`;
  await sql`update flow_unresolved_minutes set bucket_at = bucket_at - ${interval}::interval`;
};
const raw = async () =>
  (
    await sql`select count(*)::int as flows, sum(bytes)::int as bytes, sum(packets)::int as packets from traffic_flows`
  )[0];
const rolled = async () =>
  (
    await sql`select sum(flows)::int as flows, sum(bytes)::int as bytes, sum(packets)::int as packets
      from (select * from flow_rollup_minutes union all select * from flow_rollup_hours) as r`
  )[0];

describe('rollups', () => {
  it('equal the raw rows they came from, with totals, deltas and restarts of counting', async () => {
    await sendHeartbeat(makeHeartbeat(makeFlows(40)));
    await sendHeartbeat(
      makeHeartbeat(makeFlows(60).map((flow) => ({ ...flow, bytes: (flow.bytes ?? 0) + 50, packets: 12 }))),
    );
    const more = makeFlows(60).map((flow) => ({ ...flow, bytes: (flow.bytes ?? 0) + 80, packets: 13 }));
    await sendHeartbeat(makeHeartbeat(more.map((flow) => ({ ...flow, delta_bytes: 30, delta_packets: 1 }))));
    expect(await rolled()).toEqual(await raw());
    const before = await rolled();
    await sendHeartbeat(makeHeartbeat([makeFlow({ source_port: 1024, bytes: 5, packets: 1 })]));
    expect(await rolled()).toEqual({ ...before, bytes: before?.bytes + 5, packets: before?.packets + 1 });
  });

  it('sum by service: callers of one port are one row, answers another', async () => {
    const calls = makeFlows(20);
    const answers = calls.map((flow) => ({
      ...flow,
      source_ip: flow.destination_ip,
      destination_ip: flow.source_ip,
      source_port: 443,
      destination_port: 50_000 + (flow.source_port ?? 0) - 1024,
    }));
    const observed_at = new Date().toISOString();
    await sendHeartbeat(makeHeartbeat([...calls, ...answers].map((flow) => ({ ...flow, observed_at }))));
    const rows =
      await sql`select service_port, reply, flows::int, source_prefix from flow_rollup_minutes order by reply`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { service_port: 443, reply: false, flows: 20, source_prefix: '192.0.2.0/24' },
      { service_port: 443, reply: true, flows: 20, source_prefix: '198.51.100.0/24' },
    ]);
  });

  it('forget which flows they came from when they move into hours, or when the node is gone', async () => {
    const parts = () => sql`select 1 from flow_unresolved_minutes`;
    const flow = makeFlow({ source_ip: '10.9.0.1' });
    await sendHeartbeat(makeHeartbeat([flow]));
    await retainTelemetry();
    expect(await parts()).toHaveLength(1);
    await age(26);
    await retainTelemetry();
    expect(await parts()).toHaveLength(0);
    await sendHeartbeat(makeHeartbeat([flow]));
    await sql`delete from nodes where id = ${node.id}`;
    await retainTelemetry();
    expect(await parts()).toHaveLength(0);
  });

  it('move into hours after a day without losing or doubling anything, however often', async () => {
    await sendHeartbeat(makeHeartbeat(makeFlows(30)));
    await age(26);
    await sql`update traffic_flows set observed_at = now()`;
    const before = await rolled();
    const results = await Promise.all([retainTelemetry(), retainTelemetry()]);
    expect(results[0].minutes_moved + results[1].minutes_moved).toBeGreaterThan(0);
    expect(await sql`select 1 from flow_rollup_minutes`).toHaveLength(0);
    expect(await rolled()).toEqual(before);
    // The same minutes again: they are added to their hours.
    await sql`truncate traffic_flows`;
    await sendHeartbeat(makeHeartbeat(makeFlows(30)));
    await age(26);
    await retainTelemetry();
    expect(await rolled()).toEqual({
      flows: before?.flows * 2,
      bytes: before?.bytes * 2,
      packets: before?.packets * 2,
    });
    const buckets = await sql`select distinct bucket_at from flow_rollup_hours`;
    expect(buckets.every((row) => new Date(row.bucket_at).getUTCMinutes() === 0)).toBe(true);
  });
});

describe('retention', () => {
  it('deletes flows older than the setting, in batches, and keeps the rest', async () => {
    await sendHeartbeat(makeHeartbeat(makeFlows(12_000)));
    await sql`update traffic_flows set observed_at = now() - interval '25 hours' where source_port < 12000`;
    const [kept] = await sql`select count(*)::int as n from traffic_flows where source_port >= 12000`;
    const done = await retainTelemetry();
    expect(done.traffic_flows).toBe(12_000 - kept?.n);
    expect((await raw())?.flows).toBe(kept?.n);
    expect((await retainTelemetry()).traffic_flows).toBe(0);
  });

  it('expires to the millisecond for any setting: expired data is neither shown nor kept', async () => {
    const time = fakeClock();
    const admin = await bearer(await makeUser('admin'));
    try {
      for (const hours of [1, 24, 8760]) {
        await sql`truncate traffic_flows`;
        await sql`update system_settings set value = value || jsonb_build_object('flow_retention_hours', ${hours}::int) where key = 'runtime'`;
        const cutoff = clock.now().getTime() - hours * 3_600_000;
        await sendHeartbeat(makeHeartbeat(makeFlows(5)));
        for (const [i, offset] of [-60_000, -1, 0, 1, 60_000].entries()) {
          const at = new Date(cutoff + offset).toISOString();
          await sql`update traffic_flows set observed_at = ${at}, first_seen_at = ${at} where source_port = ${1024 + i}`;
        }
        const shown = async () => {
          const response = await call('/flows?since=2020-01-01T00:00:00Z&sort=observed_at', { headers: admin });
          const { items } = (await response.json()) as { items: { source_port: number }[] };
          return items.map((item) => item.source_port - 1024);
        };
        expect(await shown()).toEqual([2, 3, 4]);
        expect((await retainTelemetry()).traffic_flows).toBe(2);
        expect(
          (await sql`select source_port from traffic_flows order by 1`).map((row) => row.source_port - 1024),
        ).toEqual([2, 3, 4]);
        time.advance(0.001);
        expect(await shown()).toEqual([3, 4]);
        expect((await retainTelemetry()).traffic_flows).toBe(1);
        time.advance(60);
        expect(await shown()).toEqual([]);
        expect((await retainTelemetry()).traffic_flows).toBe(2);
      }
    } finally {
      time.restore();
      await sql`update system_settings set value = value || jsonb_build_object('flow_retention_hours', 24) where key = 'runtime'`;
    }
  });

  it('leaves a flow that is being written for later instead of waiting for it', async () => {
    await sendHeartbeat(makeHeartbeat(makeFlows(3)));
    await age(25);
    await sql.begin(async (tx) => {
      await tx`update traffic_flows set observed_at = now() where source_port = 1024`;
      expect((await retainTelemetry()).traffic_flows).toBe(2);
    });
    expect((await retainTelemetry()).traffic_flows).toBe(0);
    expect((await raw())?.flows).toBe(1);
  });

  it('removes what belongs to nodes that are gone', async () => {
    await sendHeartbeat(makeHeartbeat(makeFlows(3)));
    await sql`delete from nodes where id = ${node.id}`;
    expect((await retainTelemetry()).rows_of_gone_nodes).toBeGreaterThanOrEqual(4);
    expect((await raw())?.flows).toBe(0);
  });

  it('stops when it is aborted', async () => {
    await expect(retainTelemetry(AbortSignal.abort(new Error('the worker is stopping')))).rejects.toThrow(
      'the worker is stopping',
    );
  });
});

describe('watchAgents', () => {
  it('marks agents as silent after three missing heartbeats, until they speak again', async () => {
    await sendHeartbeat(makeHeartbeat([], { interval_seconds: 60 }));
    const status = async () => (await sql`select status from node_agents where node_id = ${node.id}`)[0]?.status;
    const heardAgo = (seconds: number) =>
      sql`update node_agents set last_heartbeat_at = now() - make_interval(secs => ${seconds}) where node_id = ${node.id}`;
    await heardAgo(170);
    expect([await watchAgents(), await status()]).toEqual([0, 'ok']);
    await heardAgo(190);
    expect([await watchAgents(), await status()]).toEqual([1, 'silent']);
    expect(await watchAgents()).toBe(0);
    await sendHeartbeat(makeHeartbeat([]));
    expect(await status()).toBe('ok');
  });
});
