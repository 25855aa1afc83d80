import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FlowEstimate, FlowEstimates } from '@/domain/collector/estimate';
import { HOUR_MS } from '@/domain/durations';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { callJson } from '@/test/request';
import { getRunCount } from '@/test/thorough';
import { storeBatch } from '../../traffic/collector/store-batch';
import { MOST_ESTIMATES } from '../../traffic/collector/store-estimates';
import {
  makeExporter,
  makeSampledBatch,
  type SampledPacket,
} from '../../traffic/collector/testing/sampled-batch.fixture';
import { freshAddressBook } from '../../traffic/flows/address-book';
import { retainTelemetry } from '../../traffic/flows/upkeep';
import type { AllowedExporter } from '../../traffic/queries/flow-exporters';

const sql = sqlClient();
const NOW = Date.parse('2026-03-10T14:07:30Z');
const HOUR = NOW - (NOW % HOUR_MS);

let fixture: Awaited<ReturnType<typeof makeTwoTenants>>;
let admin: { authorization: string };
let exporter: AllowedExporter;
let second: AllowedExporter;
let time: ReturnType<typeof fakeClock>;

beforeAll(async () => {
  fixture = await makeTwoTenants('viewer');
  admin = await bearer(await makeUser('admin'));
  const { cluster, ours, theirs } = fixture;
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr8', 'bridge', 'provider') returning id`;
  // Each tenant has an address in a subnet that the other one may not see.
  for (const [third, workload] of [
    [0, ours.workload.id],
    [1, theirs.workload.id],
  ] as const) {
    const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${`10.8.${third}.0/24`}, 'manual') returning id`;
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${`10.8.${third}.1`}, ${workload}, 'manual')`;
  }
  await freshAddressBook();
});
beforeEach(async () => {
  await sql`delete from flow_exporters`;
  [exporter, second] = [
    await makeExporter(fixture.cluster, '192.0.2.1'),
    await makeExporter(fixture.cluster, '192.0.2.2'),
  ];
  time?.restore();
  time = fakeClock(new Date(NOW));
});
afterAll(() => time.restore());

const store = (packets: readonly SampledPacket[], of = exporter) => storeBatch(makeSampledBatch(of, packets, NOW));

async function list(query: Record<string, string> = {}, headers = admin): Promise<FlowEstimates> {
  const { status, body } = await callJson<FlowEstimates>(`/flow-estimates?${new URLSearchParams(query)}`, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Ends in one text, as the oracle names them. */
const nameEnd = (row: FlowEstimate, end: 'source' | 'destination') =>
  row[`${end}_workload_id`] ?? `${row[`${end}_network`]}${row[`${end}_external`] ? ' outside' : ''}`;
const toGroup = (row: FlowEstimate) =>
  [nameEnd(row, 'source'), nameEnd(row, 'destination'), row.protocol, row.port].join(' > ');

const packet = (source_ip: string, destination_ip: string, values: Partial<SampledPacket> = {}): SampledPacket => ({
  ...{ source_ip, destination_ip },
  ...values,
});

describe('GET /flow-estimates', () => {
  it('equals the sum of what was sampled times its rate, whatever is repeated', async () => {
    const names: Record<string, string> = {
      '10.8.0.1': fixture.ours.workload.id,
      '10.8.1.1': fixture.theirs.workload.id,
      '10.8.1.50': '10.8.1.0/24',
      '10.8.1.51': '10.8.1.0/24',
      '203.0.113.7': '203.0.113.0/24 outside',
      '203.0.113.99': '203.0.113.0/24 outside',
      '2001:db8:1::7': '2001:db8:1::/48 outside',
    };
    const addresses = fc.constantFrom(...Object.keys(names));
    const packets = fc.record({
      ...{ source_ip: addresses, destination_ip: addresses, protocol: fc.constantFrom(6, 17) },
      ...{ source_port: fc.integer({ min: 40_000, max: 60_000 }), destination_port: fc.constantFrom(53, 443) },
      ...{ bytes: fc.integer({ min: 20, max: 9_000 }), packets: fc.integer({ min: 1, max: 50 }) },
      sampling: fc.constantFrom(2, 64, 1_000, 65_536),
      last_ms: fc.integer({ min: NOW - 3 * HOUR_MS, max: NOW }),
    });
    const batches = fc.array(
      fc.record({
        packets: fc.array(packets, { maxLength: 30 }),
        repeats: fc.integer({ min: 1, max: 3 }),
        isSecond: fc.boolean(),
      }),
      {
        ...{ minLength: 1, maxLength: 6 },
      },
    );
    await fc.assert(
      fc.asyncProperty(batches, async (sent) => {
        await sql`delete from flow_estimates`;
        const expected = new Map<string, { bytes: number; packets: number; samples: number; squares: number }>();
        for (const { packets, repeats, isSecond } of sent) {
          const batch = makeSampledBatch(isSecond ? second : exporter, packets, NOW);
          for (let i = 0; i < repeats; i++) await storeBatch(batch);
          for (const one of packets) {
            const group = [
              names[one.source_ip],
              names[one.destination_ip],
              one.protocol === 6 ? 'tcp' : 'udp',
              one.destination_port,
            ].join(' > ');
            const known = expected.get(group) ?? { bytes: 0, packets: 0, samples: 0, squares: 0 };
            expected.set(group, {
              bytes: known.bytes + one.bytes * one.sampling,
              packets: known.packets + one.packets * one.sampling,
              samples: known.samples + one.packets,
              squares: known.squares + one.packets * one.sampling ** 2,
            });
          }
        }
        const { items, total, sums } = await list({ limit: '500' });
        const found = new Map(items.map((row) => [toGroup(row), row]));
        expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
        expect(total).toBe(expected.size);
        for (const [group, { squares, ...requested }] of expected) {
          const error_percent = Math.ceil((196 * Math.sqrt(squares)) / requested.packets - 1e-9);
          expect(found.get(group), group).toMatchObject({ ...requested, error_percent, is_other: false });
        }
        const add = (name: 'bytes' | 'packets' | 'samples') =>
          [...expected.values()].reduce((sum, one) => sum + one[name], 0);
        expect(sums).toMatchObject({ bytes: add('bytes'), packets: add('packets'), samples: add('samples') });
        expect(items.map(({ bytes }) => bytes)).toEqual(items.map(({ bytes }) => bytes).sort((a, b) => b - a));
      }),
      { numRuns: getRunCount(15, 60) },
    );
  }, 120_000);

  it('pages through all groups, and takes filters', async () => {
    const { ours, cluster } = fixture;
    await store([
      packet('10.8.0.1', '203.0.113.7', { bytes: 500 }),
      packet('10.8.1.1', '203.0.113.7', { bytes: 400 }),
      packet('10.8.1.50', '10.8.1.1', { bytes: 300 }),
    ]);
    await store([packet('203.0.113.7', '10.8.0.1', { bytes: 200 })], second);
    const pages: FlowEstimate[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: FlowEstimates = await list({ limit: '1', ...(cursor && { cursor }) });
      expect(page.total).toBe(4);
      expect(page.sums.bytes).toBe(140_000);
      pages.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(pages.map(({ bytes }) => bytes)).toEqual([50_000, 40_000, 30_000, 20_000]);
    const sum = async (query: Record<string, string>) => (await list(query)).sums.bytes;
    expect(await sum({ workload_id: ours.workload.id })).toBe(70_000);
    expect(await sum({ flow_exporter_id: second.id })).toBe(20_000);
    expect(await sum({ cluster_id: cluster.id })).toBe(140_000);
    expect(await sum({ cluster_id: ours.workload.id })).toBe(0);
    expect(await sum({ since: new Date(NOW - 30 * HOUR_MS).toISOString(), until: new Date(HOUR).toISOString() })).toBe(
      0,
    );
    expect(await sum({ since: new Date(NOW).toISOString(), until: new Date(NOW + 1).toISOString() })).toBe(140_000);
    const refused = await callJson('/flow-estimates?since=2026-03-10T14:00:00Z&until=2026-03-10T13:00:00Z', admin);
    expect(refused.status).toBe(400);
    const { queries } = await countQueries(() => list());
    expect(queries).toBeLessThanOrEqual(12);
  });

  it('shows tenants what has a workload of theirs at an end, and no more of the other end than flows do', async () => {
    const { ours, theirs } = fixture;
    await store([
      packet('10.8.0.1', '10.8.1.1', { bytes: 100 }),
      packet('10.8.1.50', '10.8.0.1', { bytes: 90 }),
      packet('10.8.0.1', '203.0.113.7', { bytes: 80 }),
      packet('10.8.1.1', '203.0.113.7', { bytes: 70 }),
      packet('10.8.1.50', '203.0.113.7', { bytes: 60 }),
    ]);
    const own = await list({}, await bearer(ours.user));
    expect(own.sums.bytes).toBe(27_000);
    expect(own.items.map(toGroup)).toEqual([
      `${ours.workload.id} > null > tcp > 443`,
      `null > ${ours.workload.id} > tcp > 443`,
      `${ours.workload.id} > 203.0.113.0/24 outside > tcp > 443`,
    ]);
    expect(JSON.stringify(own)).not.toContain(theirs.workload.id);
    expect(JSON.stringify(own)).not.toContain('10.8.1');
    expect((await list({ workload_id: theirs.workload.id }, await bearer(ours.user))).total).toBe(0);
    expect((await list({}, await bearer(theirs.user))).sums.bytes).toBe(17_000);
  });

  it('leaves a workload that moved with its former tenant, and the hour of the move with neither', async () => {
    const { cluster, ours, theirs } = fixture;
    const workload = await makeWorkload(cluster, ours.project);
    const at = (hours: number) => new Date(HOUR - hours * HOUR_MS + 60_000).toISOString();
    for (const [hours, bytes] of [
      [3, 1],
      [2, 10],
      [1, 100],
    ] as const) {
      await sql`insert into flow_estimates (exporter_id, bucket_at, estimate_key, source_workload_id, source_prefix, destination_prefix,
          source_internal, destination_internal, protocol, bytes, packets, samples, variance)
        values (${exporter.id}, ${new Date(HOUR - hours * HOUR_MS).toISOString()}, gen_random_uuid(), ${workload.id}, '10.8.0.0/24', '203.0.113.0/24',
          true, false, 'tcp', ${bytes}, 1, 1, 1)`;
    }
    await sql`delete from workload_owners where workload_id = ${workload.id}`;
    await sql`insert into workload_owners (workload_id, tenant_id, from_at, to_at, workload_name)
      values (${workload.id}, ${ours.tenant.id}, null, ${at(2)}, 'old name'), (${workload.id}, ${theirs.tenant.id}, ${at(2)}, null, null)`;
    await sql`update workloads set project_id = ${theirs.project.id} where id = ${workload.id}`;
    const [former, present] = [await list({}, await bearer(ours.user)), await list({}, await bearer(theirs.user))];
    expect(former.items).toMatchObject([{ bytes: 1, source_workload_name: 'old name' }]);
    expect(present.items).toMatchObject([{ bytes: 100 }]);
  });
});

describe('storeEstimates', () => {
  const read = async () => (await callJson<Record<string, number>>(`/flow-exporters/${exporter.id}`, admin)).body;

  it('stores at most a fixed number of rows for an hour, and adds the others to one row', async () => {
    const fill = (port: number) => packet('10.8.0.1', '10.8.1.1', { source_port: null, destination_port: port });
    await store(Array.from({ length: MOST_ESTIMATES - 2 }, (_, port) => fill(port)));
    const large = { bytes: 9_000, last_ms: NOW };
    await store([
      { ...fill(20_000), ...large },
      { ...fill(20_001), ...large },
      ...[fill(20_002), fill(20_003), fill(5)],
      { ...fill(20_003), last_ms: NOW - HOUR_MS },
    ]);
    const [{ rows } = { rows: 0 }] =
      await sql`select count(*)::int as rows from flow_estimates where bucket_at = ${new Date(HOUR).toISOString()}`;
    expect(rows).toBe(MOST_ESTIMATES + 1);
    await store([fill(20_003), fill(20_000)]);
    const { items, sums } = await list({ limit: '5' });
    expect(sums.samples).toBe(MOST_ESTIMATES - 2 + 6 + 2);
    const others = items.find(({ is_other }) => is_other);
    expect(others).toMatchObject({ samples: 3, bytes: 300_000, source_network: null, protocol: null, port: null });
    expect(await read()).toMatchObject({
      sampled: MOST_ESTIMATES + 6,
      estimated: MOST_ESTIMATES + 6,
      folded: 3,
      dropped: 0,
    });
    const hidden = await list({}, await bearer(fixture.theirs.user));
    expect(hidden.items.some(({ is_other }) => is_other)).toBe(false);
  });

  it('leaves out what is older than the retention, and what was sent for another node', async () => {
    await sql`update flow_exporters set node_id = null`;
    await storeBatch({
      ...makeSampledBatch(exporter, [packet('10.8.0.1', '10.8.1.1')], NOW),
      exporter: { ...exporter, node_id: fixture.cluster.id },
    });
    await store([packet('10.8.0.1', '10.8.1.1', { last_ms: NOW - 400 * 24 * HOUR_MS })]);
    expect(await read()).toMatchObject({ sampled: 2, estimated: 0, dropped: 2 });
    expect((await list()).total).toBe(0);
  });

  it('names workloads of other nodes only for a device that is no node', async () => {
    const [node] = await sql<{ id: string }[]>`insert into nodes (id, cluster_id, name, status)
      select gen_random_uuid(), ${fixture.cluster.id}, 'estimates', 'online' returning id`;
    const ofNode = await makeExporter(fixture.cluster, '192.0.2.3', node);
    await store([packet('10.8.0.1', '203.0.113.7')], ofNode);
    expect((await list()).items.map(toGroup)).toEqual(['10.8.0.0/24 > 203.0.113.0/24 outside > tcp > 443']);
    await sql`delete from flow_exporters where id = ${ofNode.id}`;
    expect((await list()).total).toBe(0);
    await store([packet('10.8.0.1', '203.0.113.7')]);
    expect((await list()).items.map(toGroup)).toEqual([
      `${fixture.ours.workload.id} > 203.0.113.0/24 outside > tcp > 443`,
    ]);
  });

  it('goes with its retention: an hour as soon as all of it is expired', async () => {
    const { status, body } = await callJson<{ flow_retention_hours: number }>('/settings', admin);
    expect(status).toBe(200);
    const hours = body.flow_retention_hours;
    const add = (
      ago: number,
    ) => sql`insert into flow_estimates (exporter_id, bucket_at, estimate_key, source_internal, destination_internal)
      values (${exporter.id}, ${new Date(HOUR - ago * HOUR_MS).toISOString()}, gen_random_uuid(), false, false)`;
    for (const ago of [0, hours - 1, hours, hours + 1]) await add(ago);
    expect((await retainTelemetry()).flow_estimates).toBe(1);
    expect(await sql`select 1 from flow_estimates`).toHaveLength(3);
  });

  it('goes with its cluster', async () => {
    const [cluster] = await sql<{ id: string }[]>`select cluster_id as id from flow_exporters limit 1`;
    expect(cluster?.id).toBe(fixture.cluster.id);
    const other = await makeTwoTenants('viewer');
    const device = await makeExporter(other.cluster, '192.0.2.9');
    await store([packet('10.8.0.1', '203.0.113.7')], device);
    expect(await sql`select 1 from flow_estimates`).toHaveLength(1);
    await sql`delete from clusters where id = ${other.cluster.id}`;
    expect(await sql`select 1 from flow_estimates`).toHaveLength(0);
  });
});
