import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TrafficInput } from '@/domain/flow/traffic-sums';
import { systemScope } from '@/server/auth/scope';
import { sqlClient } from '@/server/db/client';
import { AppError } from '@/server/lib/errors';
import { countQueries } from '@/test/count-queries';
import { addFormerPlacements, makeAgent, makeNode, makeTwoTenants, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';
import { sumTraffic } from '../../traffic/flows/upkeep';
import { readTopTalkers } from './read-top-talkers';
import { readTrafficSeries } from './series';

const sql = sqlClient();
const START = Date.parse('2026-03-10T14:07:30Z');
const at = (minutesAgo: number) => new Date(START - minutesAgo * 60_000).toISOString();
const everyone = systemScope('flow:read', 'test');

let fixture: Awaited<ReturnType<typeof makeTwoTenants>>;
let other: { id: string };
let agents: { authorization: string }[];
let time: ReturnType<typeof fakeClock>;
const ADDRESSES = { ours: '10.0.0.1', theirs: '10.0.0.2', other: '10.0.0.3' };

beforeAll(async () => {
  fixture = await makeTwoTenants('viewer');
  const { cluster, ours, theirs } = fixture;
  other = await makeWorkload(cluster);
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '10.0.0.0/24', 'manual') returning id`;
  for (const [address, id] of [
    [ADDRESSES.ours, ours.workload.id],
    [ADDRESSES.theirs, theirs.workload.id],
    [ADDRESSES.other, other.id],
  ] as const) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${address}, ${id}, 'manual')`;
  }
  const nodes = [await makeNode(cluster), await makeNode(cluster)];
  agents = await Promise.all(nodes.map(makeAgent));
  for (const node of nodes) await addFormerPlacements(node, ours.workload, theirs.workload, other);
});
beforeEach(async () => {
  await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, traffic_marks, traffic_owners,
    traffic_by_workload, traffic_totals, flow_hour_totals, flow_complete_hours, interface_traffic`;
  await sql`update traffic_version set version = version + 1`;
  time?.restore();
  time = fakeClock(new Date(START));
});
afterAll(() => time.restore());

async function sendHeartbeat(agent: number, flows: unknown[], rest: object = {}): Promise<void> {
  const body = { ...makeHeartbeat(flows as never), sent_at: at(0), ...rest };
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers: agents[agent] });
  expect(response.status).toBe(200);
  expect(((await response.json()) as { rejected: unknown[] }).rejected).toEqual([]);
}

const flow = (source_ip: string, destination_ip: string, bytes: number, minutesAgo: number, port = 40_000) =>
  makeFlow({
    ...{ source_ip, destination_ip, bytes, packets: bytes / 100, source_port: port, destination_port: 443 },
    ...{ first_seen_at: at(minutesAgo), observed_at: at(minutesAgo) },
  });

const talkers = async (input: TrafficInput = {}, scope = everyone) => {
  const { items, sums, source } = await readTopTalkers(scope, input, 10);
  return { source, sums, items: items.map(({ workload, ...rest }) => ({ id: workload.id, ...rest })) };
};
const tenantScope = (tenant: { id: string }) => systemScope('flow:read', 'test', [tenant.id]);

/**
 * `ours` connects to `theirs`, which both nodes see; `theirs` connects to an outside address, which one node sees.
 */
async function exchange(): Promise<void> {
  const shared = flow(ADDRESSES.ours, ADDRESSES.theirs, 6_000, 3);
  await sendHeartbeat(0, [shared]);
  await sendHeartbeat(1, [shared, flow(ADDRESSES.theirs, '203.0.113.9', 1_000, 40)]);
  await sumTraffic();
}

describe('readTopTalkers', () => {
  it('counts what two nodes saw once, at both ends', async () => {
    await exchange();
    const { ours, theirs } = fixture;
    expect(await talkers()).toEqual({
      source: 'flows',
      items: [
        { id: theirs.workload.id, bytes_in: 6_000, bytes_out: 1_000, packets: 70, flows: 2 },
        { id: ours.workload.id, bytes_in: 0, bytes_out: 6_000, packets: 60, flows: 1 },
      ],
      sums: { workloads: 2, bytes_in: 6_000, bytes_out: 7_000, packets: 130, flows: 3 },
    });
  });

  it('adds up what several nodes saw for unknown ends', async () => {
    const unknown = flow(ADDRESSES.other, '203.0.113.9', 1_000, 3);
    await sendHeartbeat(0, [unknown]);
    await sendHeartbeat(1, [unknown]);
    await sumTraffic();
    expect((await talkers()).items).toEqual([{ id: other.id, bytes_in: 0, bytes_out: 2_000, packets: 20, flows: 2 }]);
  });

  it('shows tenants their own guests only, whatever they ask for', async () => {
    await exchange();
    const { ours, theirs } = fixture;
    const seen = await talkers({}, tenantScope(ours.tenant));
    expect(seen.items.map(({ id }) => id)).toEqual([ours.workload.id]);
    expect(seen.sums).toMatchObject({ workloads: 1, bytes_in: 0, bytes_out: 6_000 });
    expect((await talkers({ tenant_id: theirs.tenant.id }, tenantScope(ours.tenant))).items).toEqual([]);
    expect((await talkers({ tenant_id: theirs.tenant.id })).items.map(({ id }) => id)).toEqual([theirs.workload.id]);
    expect((await talkers({ cluster_id: ours.tenant.id })).items).toEqual([]);
  });

  it('names the workload, and ends at the limit', async () => {
    await exchange();
    const { cluster, theirs } = fixture;
    const { items, sums } = await readTopTalkers(everyone, {}, 1);
    const { id, name, vmid, kind } = theirs.workload;
    expect(items.map(({ workload }) => workload)).toEqual([
      { id, name, vmid, kind, cluster_id: cluster.id, cluster_name: cluster.name },
    ]);
    expect(sums.workloads).toBe(2);
  });

  it('falls back to interface counters when there is no flow, and reports that', async () => {
    const traffic = { interface: 'tap1i0', nic: 0, collector: 'counters', interval_seconds: 30 };
    await sendHeartbeat(0, [], {
      interface_traffic: [
        {
          ...traffic,
          vmid: fixture.ours.workload.vmid,
          ...{ rx_bytes: 500, rx_packets: 5, tx_bytes: 100, tx_packets: 1, bytes: 600, packets: 6, observed_at: at(5) },
        },
      ],
    });
    const counted = await talkers();
    expect(counted).toEqual({
      source: 'interface_counters',
      items: [{ id: fixture.ours.workload.id, bytes_in: 500, bytes_out: 100, packets: 6, flows: null }],
      sums: { workloads: 1, bytes_in: 500, bytes_out: 100, packets: 6, flows: null },
    });
    expect((await talkers({}, tenantScope(fixture.theirs.tenant))).source).toBe('flows');
    expect((await talkers({ until: at(10) })).items).toEqual([]);
    await exchange();
    expect((await talkers()).source).toBe('flows');
  });

  it('reads totals once for all users until they change', async () => {
    await exchange();
    const queries = async (work: () => Promise<unknown>) => (await countQueries(work)).queries;
    const read = { talkers: () => readTopTalkers(everyone, {}, 10), series: () => readTrafficSeries(everyone, {}) };
    expect([await queries(read.talkers), await queries(read.series)]).toEqual([3, 2]);
    expect([await queries(read.talkers), await queries(read.series)]).toEqual([2, 1]);
    const ours = tenantScope(fixture.ours.tenant);
    expect(await queries(() => readTopTalkers(ours, {}, 10))).toBe(3);
    await exchange();
    expect([await queries(read.talkers), await queries(read.series)]).toEqual([3, 2]);
  });

  it('does not name guests that are no longer visible, though their totals are still shared', async () => {
    await exchange();
    const { ours } = fixture;
    const scope = tenantScope(ours.tenant);
    expect((await talkers({}, scope)).items).toHaveLength(1);
    await sql`update workloads set project_id = null where id = ${ours.workload.id}`;
    try {
      expect(await talkers({}, scope)).toMatchObject({ items: [], sums: { workloads: 0 } });
    } finally {
      await sql`update workloads set project_id = ${ours.project.id} where id = ${ours.workload.id}`;
    }
  });
});

describe('readTrafficSeries', () => {
  it('shows when traffic happened, once, in five minutes', async () => {
    await exchange();
    const series = await readTrafficSeries(everyone, {});
    expect(series).toMatchObject({
      source: 'minutes',
      since: '2026-03-10T13:05:00.000Z',
      until: '2026-03-10T14:10:00.000Z',
      bucket_seconds: 300,
      sums: { bytes: 7_000, packets: 70, flows: 2 },
    });
    const [line, ...rest] = series.lines;
    expect(rest).toEqual([]);
    expect(line?.decision).toBe('observed');
    expect(series.bucket_at.filter((_, i) => (line?.bytes[i] ?? 0) > 0)).toEqual([
      '2026-03-10T13:25:00.000Z',
      '2026-03-10T14:00:00.000Z',
    ]);
  });

  it('counts by whole hours over a day with the same result', async () => {
    await exchange();
    const day = await readTrafficSeries(everyone, { since: at(24 * 60) });
    expect([day.bucket_seconds, day.sums]).toEqual([3600, { bytes: 7_000, packets: 70, flows: 2 }]);
    expect((await talkers({ since: at(24 * 60) })).items).toEqual((await talkers()).items);
  });

  it('shows tenants what has one of their guests at an end', async () => {
    await exchange();
    const { ours, theirs } = fixture;
    const bytes = async (scope: typeof everyone, input: TrafficInput = {}) =>
      (await readTrafficSeries(scope, input)).sums.bytes;
    expect(await bytes(tenantScope(ours.tenant))).toBe(6_000);
    expect(await bytes(tenantScope(theirs.tenant))).toBe(7_000);
    expect(await bytes(everyone, { tenant_id: ours.tenant.id })).toBe(6_000);
    expect(await bytes(tenantScope(ours.tenant), { tenant_id: theirs.tenant.id })).toBe(0);
    expect(await bytes(systemScope('flow:read', 'test', []))).toBe(0);
  });

  it('leaves what a guest carried with the tenant that had it then', async () => {
    await exchange();
    const { ours, theirs } = fixture;
    await sql`update workloads set project_id = ${theirs.project.id} where id = ${ours.workload.id}`;
    try {
      await sumTraffic();
      expect((await readTrafficSeries(tenantScope(ours.tenant), {})).sums.bytes).toBe(6_000);
      expect((await readTrafficSeries(tenantScope(theirs.tenant), {})).sums.bytes).toBe(7_000);
      // Nor does the new tenant find it among its talkers.
      const { items } = await talkers({}, tenantScope(theirs.tenant));
      expect(items.map(({ id }) => id)).not.toContain(ours.workload.id);
    } finally {
      await sql`update workloads set project_id = ${ours.project.id} where id = ${ours.workload.id}`;
    }
  });

  it('tells up to when it is complete', async () => {
    await exchange();
    const readCompletionTime = async (input: TrafficInput = {}) =>
      Date.parse((await readTrafficSeries(everyone, input)).as_of);
    const before = Date.now();
    expect(await readCompletionTime()).toBeGreaterThanOrEqual(before - 1_000);
    await sendHeartbeat(0, [flow(ADDRESSES.ours, ADDRESSES.theirs, 1_000, 20, 50_000)]);
    const marked = (await sql`select marked_at from traffic_marks`)[0]?.marked_at;
    expect(await readCompletionTime()).toBe(new Date(marked).getTime());
    expect((await readTopTalkers(everyone, {}, 5)).as_of).toBe(new Date(marked).toISOString());
    expect(await readCompletionTime({ since: at(10) })).toBeGreaterThan(new Date(marked).getTime());
    await sumTraffic();
    expect(await readCompletionTime()).toBeGreaterThan(new Date(marked).getTime());
    expect((await readTrafficSeries(everyone, {})).sums.bytes).toBe(8_000);
  });

  it('has nothing of a range that has not begun', async () => {
    await exchange();
    const range = { since: at(-60), until: at(-120) };
    expect((await readTopTalkers(everyone, range, 5)).items).toEqual([]);
    expect(await readTrafficSeries(everyone, range)).toMatchObject({ bucket_at: [], lines: [] });
  });

  it('refuses a range that ends before it begins', async () => {
    await expect(readTrafficSeries(everyone, { since: at(0), until: at(5) })).rejects.toThrow(AppError);
    await expect(readTopTalkers(everyone, { since: at(-60) }, 5)).rejects.toThrow('ends before');
  });
});
