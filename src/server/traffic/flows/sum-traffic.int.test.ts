import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { addToMinutes } from '@/server/traffic/storage/postgres/minutes';
import { makeCluster, makeNode, makeProject, makeTenant, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { stableKey } from '../../lib/ids';
import { type Reported, TrafficOracle } from './testing/traffic-oracle.fixture';
import { retainTelemetry, sumTraffic } from './upkeep';

const sql = sqlClient();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-10T14:07:30Z');

type Fixture = {
  nodes: { id: string; cluster: string }[];
  workloads: { id: string; cluster: string }[];
  projects: { id: string; tenant: string }[];
};
let fixture: Fixture;
let time: ReturnType<typeof fakeClock>;
let now = START;

beforeAll(async () => {
  const [one, two] = [await makeCluster(), await makeCluster()];
  const tenants = [await makeTenant(), await makeTenant()];
  const projects = await Promise.all(tenants.map((tenant) => makeProject(tenant)));
  const clusters = [one, one, one, two];
  const nodes = await Promise.all(clusters.map((cluster) => makeNode(cluster)));
  const workloads = await Promise.all(clusters.map((cluster) => makeWorkload(cluster)));
  fixture = {
    nodes: nodes.map(({ id, cluster_id }) => ({ id, cluster: cluster_id })),
    workloads: workloads.map(({ id, cluster_id }) => ({ id, cluster: cluster_id })),
    projects: projects.map(({ id, tenant_id }) => ({ id, tenant: tenant_id })),
  };
});
beforeEach(async () => {
  await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, traffic_marks, traffic_owners,
    traffic_by_workload, traffic_totals, flow_hour_totals, flow_complete_hours`;
  await sql`update workloads set project_id = null`;
  await sql`truncate workload_owners`;
  now = START;
  time = fakeClock(new Date(START));
});
afterEach(() => time.restore());

/** Stores traffic as a heartbeat does. */
async function report(rows: readonly Reported[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const records = rows.map(({ minute, source, destination, service, decision, bytes, packets, flows }) => ({
    bucket_at: new Date(minute).toISOString(),
    rollup_key: stableKey([source, destination, service, decision]),
    source_workload_id: source,
    destination_workload_id: destination,
    source_prefix: '10.0.0.0/24',
    destination_prefix: '10.0.1.0/24',
    source_internal: true,
    destination_internal: true,
    protocol: 'tcp',
    service_port: service,
    reply: false,
    decision,
    ...{ bytes, packets, flows },
  }));
  records.sort((a, b) => (`${a.bucket_at}${a.rollup_key}` < `${b.bucket_at}${b.rollup_key}` ? -1 : 1));
  await db.transaction((tx) => addToMinutes(tx, { node_id: first.node, cluster_id: first.cluster }, records));
}

const inOrder = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

async function storedRows(seconds: number, from: number) {
  const since = new Date(from).toISOString();
  const at = sql`extract(epoch from bucket_at)::float8 * 1000 as at`;
  const byWorkload = await sql`select ${at}, workload_id as workload, decision, bytes_in::float8, bytes_out::float8,
      packets_in::float8, packets_out::float8, flows::float8
    from traffic_by_workload where bucket_seconds = ${seconds} and bucket_at >= ${since}`;
  const totals = await sql`select ${at}, cluster_id as cluster, decision, source_tenant_id as source_tenant,
      destination_tenant_id as destination_tenant, bytes::float8, packets::float8, flows::float8
    from traffic_totals where bucket_seconds = ${seconds} and bucket_at >= ${since}`;
  return { byWorkload: inOrder(byWorkload), totals: inOrder(totals) };
}

async function sumAll(): Promise<void> {
  for (let runs = 0; runs < 20; runs++) if ((await sumTraffic()).done) return;
  throw new Error('there is no end to what is to be summed');
}

/** A signal that ends a run after some hours. */
function abortAfter(hours: number): AbortSignal {
  let left = hours;
  const throwIfAborted = () => {
    left -= 1;
    if (left < 0) throw new Error('the worker is killed');
  };
  return { throwIfAborted } as unknown as AbortSignal;
}

const amount = fc.integer({ min: 0, max: 1_000 });
const row = fc.record({
  minutesAgo: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 60 * 50 })),
  source: fc.option(fc.integer({ min: 0, max: 2 })),
  destination: fc.option(fc.integer({ min: 0, max: 2 })),
  service: fc.constantFrom(443, 443, 22),
  decision: fc.constantFrom('observed', 'observed', 'drop'),
  bytes: amount,
  packets: amount,
  flows: fc.integer({ min: 0, max: 3 }),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      node: fc.integer({ min: 0, max: 3 }),
      rows: fc.array(row, { minLength: 1, maxLength: 5 }),
      /** Another node saw the same, a little later and somewhat more or less of it. */
      witness: fc.option(
        fc.record({
          node: fc.integer({ min: 0, max: 2 }),
          share: fc.constantFrom(0, 0.5, 1, 1.5),
          later: fc.integer({ min: 0, max: 2 }),
        }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('sum' as const), hours: fc.option(fc.integer({ min: 0, max: 3 })) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 20 * 60 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('assign' as const),
      workload: fc.integer({ min: 0, max: 3 }),
      project: fc.option(fc.integer({ min: 0, max: 1 })),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A tenant has a guest for a moment, between two runs: its past is that tenant's all the same. */
const FOR_A_MOMENT: Step[] = [
  {
    kind: 'report',
    node: 3,
    rows: [
      {
        minutesAgo: 0,
        source: null,
        destination: 0,
        service: 443,
        decision: 'observed',
        bytes: 7,
        packets: 1,
        flows: 1,
      },
    ],
    witness: null,
  },
  { kind: 'sum', hours: null },
  { kind: 'assign', workload: 3, project: 0 },
  { kind: 'assign', workload: 3, project: null },
];

async function take(one: Step, oracle: TrafficOracle): Promise<void> {
  switch (one.kind) {
    case 'report': {
      const node = fixture.nodes[one.node];
      const witness = one.witness && fixture.nodes[one.witness.node];
      if (!node) throw new Error('no such node');
      const guests = fixture.workloads.filter((workload) => workload.cluster === node.cluster);
      const end = (index: number | null) => (index === null ? null : (guests[index % guests.length]?.id ?? null));
      const rows = new Map<string, Reported>();
      for (const { minutesAgo, source, destination, ...rest } of one.rows) {
        const minute = Math.floor((now - minutesAgo * MINUTE) / MINUTE) * MINUTE;
        const made = {
          ...rest,
          cluster: node.cluster,
          node: node.id,
          minute,
          source: end(source),
          destination: end(destination),
        };
        rows.set(JSON.stringify([minute, made.source, made.destination, made.service, made.decision]), made);
      }
      await report([...rows.values()]);
      for (const made of rows.values()) oracle.report(made);
      if (!one.witness || !witness || witness.cluster !== node.cluster || witness === node) return;
      const { share, later } = one.witness;
      const seen = [...rows.values()].map((made) => ({
        ...made,
        node: witness.id,
        minute: made.minute + later * MINUTE,
        bytes: Math.round(made.bytes * share),
        flows: Math.round(made.flows * share),
      }));
      await report(seen);
      for (const made of seen) oracle.report(made);
      return;
    }
    case 'sum':
      if (one.hours === null) {
        await sumAll();
        oracle.run();
      } else {
        await sumTraffic(abortAfter(one.hours)).catch((error: Error) =>
          expect(error.message).toBe('the worker is killed'),
        );
        oracle.run(one.hours);
      }
      return;
    case 'wait':
      now += one.minutes * MINUTE;
      time.advance(one.minutes * 60);
      await retainTelemetry();
      return;
    case 'assign': {
      const workload = fixture.workloads[one.workload];
      const project = one.project === null ? null : (fixture.projects[one.project] ?? null);
      await sql`update workloads set project_id = ${project?.id ?? null} where id = ${workload?.id ?? null}`;
      // All traffic is from before any of this: it stays with the first tenant that had the guest.
      if (workload && project && !oracle.owners.get(workload.id)) oracle.owners.set(workload.id, project.tenant);
    }
  }
}

describe('sumTraffic', () => {
  it('equals an independent count of all traffic, with late reports, moves, partial runs and changes of owner', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 16 }), async (steps) => {
      const oracle = new TrafficOracle();
      for (const one of steps) await take(one, oracle);
      await sumAll();
      oracle.run();
      const cutoff = Math.floor((now - 24 * HOUR) / HOUR) * HOUR;
      for (const [seconds, from] of [
        [300, cutoff],
        [3600, 0],
      ] as const) {
        expect(await storedRows(seconds, from)).toEqual({
          byWorkload: inOrder(oracle.byWorkload(seconds, now)),
          totals: inOrder(oracle.totals(seconds, now)),
        });
      }
      expect(await sql`select 1 from traffic_marks`).toHaveLength(0);
    });
    await fc.assert(
      property.beforeEach(async () => {
        await sql`truncate flow_rollup_minutes, flow_rollup_hours, traffic_marks, traffic_owners, traffic_by_workload, traffic_totals, flow_hour_totals, flow_complete_hours`;
        await sql`update workloads set project_id = null`;
        await sql`truncate workload_owners`;
        time.restore();
        now = START;
        time = fakeClock(new Date(START));
      }),
      { numRuns: 60, examples: [[FOR_A_MOMENT]] },
    );
  }, 600_000);

  const plain = (node: number, values: Partial<Reported> = {}): Reported => ({
    cluster: fixture.nodes[node]?.cluster ?? '',
    node: fixture.nodes[node]?.id ?? '',
    minute: now - (now % MINUTE),
    source: fixture.workloads[0]?.id ?? null,
    destination: fixture.workloads[1]?.id ?? null,
    service: 443,
    decision: 'observed',
    ...{ bytes: 100, packets: 1, flows: 1 },
    ...values,
  });
  const hourBytes = async () =>
    (await sql`select coalesce(sum(bytes), 0)::int as bytes from traffic_totals where bucket_seconds = 3600`)[0]?.bytes;

  it('misses nothing that is stored during aggregation, even with two concurrent runs', async () => {
    const oracle = new TrafficOracle();
    let writing = true;
    const writer = async (node: number) => {
      for (let i = 0; i < 40; i++) {
        const row = plain(node, {
          minute: now - (now % MINUTE) - (i % 8) * MINUTE,
          bytes: 10 + i,
          service: 440 + (i % 3),
        });
        await report([row]);
        oracle.report(row);
      }
    };
    const summer = async () => {
      while (writing) await sumTraffic();
    };
    const summers = [summer(), summer()];
    await Promise.all([writer(0), writer(1), writer(2)]);
    writing = false;
    await Promise.all(summers);
    await sumAll();
    for (const seconds of [300, 3600]) {
      expect(await storedRows(seconds, 0)).toEqual({
        byWorkload: inOrder(oracle.byWorkload(seconds, now)),
        totals: inOrder(oracle.totals(seconds, now)),
      });
    }
  });

  it('does not keep what only a node reported that is gone, nor traffic of clusters that are gone', async () => {
    const gone = await makeNode({ id: fixture.nodes[0]?.cluster ?? '' });
    await report([plain(0)]);
    await report([plain(0, { node: gone.id, bytes: 400 })]);
    const cluster = await makeCluster();
    const node = await makeNode(cluster);
    await report([plain(0, { cluster: cluster.id, node: node.id, source: null, bytes: 1_000 })]);
    await sumAll();
    expect(await hourBytes()).toBe(1_400);
    await sql`delete from nodes where id = ${gone.id}`;
    await sql`delete from clusters where id = ${cluster.id}`;
    await retainTelemetry();
    await sumAll();
    expect(await hourBytes()).toBe(100);
  });

  it('caps aggregates at the largest safe number, whatever agents claim', async () => {
    await report([
      plain(0, { bytes: Number.MAX_SAFE_INTEGER }),
      plain(0, { service: 80, bytes: Number.MAX_SAFE_INTEGER }),
    ]);
    await sumAll();
    const [row] = await sql`select bytes_out from traffic_by_workload where bytes_out > 0 and bucket_seconds = 3600`;
    expect(Number(row?.bytes_out)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('removes five-minute aggregates after a day and two hours, and hours after 400 days', async () => {
    await report([plain(0)]);
    await sumAll();
    const kept = async () =>
      (await sql`select bucket_seconds, count(*)::int as n from traffic_by_workload group by 1 order by 1`).map(
        ({ bucket_seconds, n }) => [bucket_seconds, n],
      );
    const wait = async (hours: number) => {
      time.advance(hours * 3600);
      return (await retainTelemetry()).traffic_sums;
    };
    expect(await kept()).toEqual([
      [300, 2],
      [3600, 2],
    ]);
    expect(await wait(25)).toBe(0);
    expect(await wait(3)).toBe(3);
    expect(await kept()).toEqual([[3600, 2]]);
    expect(await wait(399 * 24 - 28)).toBe(0);
    expect(await wait(25)).toBe(3);
    expect(await kept()).toEqual([]);
  });

  it('forgets to whom a guest belonged when it has been gone for 400 days', async () => {
    const guest = await makeWorkload({ id: fixture.nodes[0]?.cluster ?? '' }, { id: fixture.projects[0]?.id ?? '' });
    await sumAll();
    const owners = async () => (await sql`select 1 from traffic_owners where workload_id = ${guest.id}`).length;
    await sql`delete from workloads where id = ${guest.id}`;
    await retainTelemetry();
    expect(await owners()).toBe(1);
    time.advance(401 * 24 * 3600);
    await retainTelemetry();
    expect(await owners()).toBe(0);
  });

  it('marks nothing when nothing is to be marked', async () => {
    await report([plain(0)]);
    expect(await sumTraffic()).toEqual({ hours: 1, done: true });
    expect(await sumTraffic()).toEqual({ hours: 0, done: true });
    await report([plain(1)]);
    expect(await sumTraffic()).toEqual({ hours: 1, done: true });
    expect(await hourBytes()).toBe(100);
  });
});
