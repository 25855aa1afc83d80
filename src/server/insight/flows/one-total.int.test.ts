import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowGroupsInput } from '@/domain/flow/flow-sums';
import { TrafficInput } from '@/domain/flow/traffic-sums';
import { InsightsInput } from '@/domain/insights';
import { TopologyInput } from '@/domain/topology/topology';
import { systemScope } from '@/server/auth/scope';
import { sqlClient } from '@/server/db/client';
import { addFormerPlacements, makeAgent, makeNode, makeTwoTenants, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';
import { retainTelemetry, sumTraffic } from '../../traffic/flows/upkeep';
import { readInsightSeries, readInsightsOverview } from '../insights/overview';
import { readTopology } from '../topology/read-topology';
import { groupFlows } from './group-flows';
import { readTopTalkers } from './read-top-talkers';
import { readFlowSeries, readTrafficSeries } from './series';

const sql = sqlClient();
const MINUTE = 60_000;
const START = Date.parse('2026-03-10T14:07:30Z');
const everyone = systemScope('flow:read', 'test');
const rules = systemScope('workload:read', 'test');
const GUESTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
const OUTSIDE = ['203.0.113.7', '198.51.100.9'];
const ENDS = [...GUESTS, ...OUTSIDE];

let workloads: string[];
let agents: { authorization: string }[];
let time: ReturnType<typeof fakeClock>;

beforeAll(async () => {
  const { cluster, ours, theirs } = await makeTwoTenants('viewer');
  workloads = [ours.workload.id, theirs.workload.id, (await makeWorkload(cluster)).id];
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '10.0.0.0/24', 'manual') returning id`;
  for (const [index, address] of GUESTS.entries()) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${address}, ${workloads[index] ?? null}, 'manual')`;
  }
  const nodes = [await makeNode(cluster), await makeNode(cluster)];
  agents = await Promise.all(nodes.map(makeAgent));
  for (const node of nodes) await addFormerPlacements(node, ...workloads.map((id) => ({ id })));
});
afterAll(() => time.restore());

const report = fc.record({
  minutesAgo: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 20 * 60 })),
  ends: fc.uniqueArray(fc.constantFrom(...ENDS.keys()), { minLength: 2, maxLength: 2 }),
  service: fc.constantFrom(443, 22),
  answers: fc.boolean(),
  decision: fc.constantFrom('observed' as const, 'observed' as const, 'drop' as const),
  bytes: fc.integer({ min: 1, max: 10_000 }),
  /** What each of the two nodes reports of it, and how much later; null: it does not. */
  seen: fc.tuple(
    ...[0, 1].map(() =>
      fc.option(fc.record({ share: fc.constantFrom(0.5, 1, 1, 2), later: fc.integer({ min: 0, max: 7 }) }), {
        freq: 4,
      }),
    ),
  ),
});
type Report = typeof report extends fc.Arbitrary<infer T> ? T : never;

async function plant(reports: readonly Report[]): Promise<void> {
  for (const [node, headers] of agents.entries()) {
    const flows = reports.flatMap(
      ({ minutesAgo, ends: [from = 0, to = 0], service, answers, decision, bytes, seen }) => {
        const how = seen[node];
        if (!how) return [];
        const observed_at = new Date(START - Math.max(minutesAgo - how.later, 0) * MINUTE).toISOString();
        const [source_port, destination_port] = answers ? [service, 40_000] : [40_000, service];
        const initiator = answers ? ('destination' as const) : ('source' as const);
        const ends = { source_ip: ENDS[from] ?? '', destination_ip: ENDS[to] ?? '', source_port, destination_port };
        const counted = { delta_bytes: Math.round(bytes * how.share), delta_packets: 1 };
        return [makeFlow({ ...ends, decision, initiator, observed_at, first_seen_at: observed_at, ...counted })];
      },
    );
    const body = { ...makeHeartbeat(flows), sent_at: new Date(START).toISOString() };
    const response = await call('/agents/heartbeat', { method: 'POST', body, headers });
    expect(response.status).toBe(200);
  }
}

const settle = async () => {
  for (let runs = 0; !(await sumTraffic()).done; runs++) if (runs > 20) throw new Error('sums never settle');
};

/** Asks every page for the same range and compares what they claim alike. */
async function comparePages(range: { since: string; until: string }): Promise<void> {
  const groups = (values: object = {}) =>
    groupFlows(everyone, rules, FlowGroupsInput.parse({ ...range, limit: 100, ...values }));
  const dashboard = await readTrafficSeries(everyone, TrafficInput.parse(range));
  const total = dashboard.sums;
  const byDecision = (lines: typeof dashboard.lines) =>
    Object.fromEntries(lines.map(({ decision, bytes }) => [decision, bytes.reduce((a, b) => a + b, 0)]));

  const chart = await readFlowSeries(everyone, range);
  expect(chart.sums, 'flows: chart').toEqual(total);
  expect(byDecision(chart.lines), 'flows: chart by decision').toEqual(byDecision(dashboard.lines));
  expect([chart.since, chart.source]).toEqual([dashboard.since, dashboard.source]);

  for (const group_by of ['workloads', 'service', 'decision', 'node']) {
    const answer = await groups({ group_by });
    expect(answer.sums, `flows by ${group_by}`).toEqual(total);
    expect(answer.next_cursor).toBeNull();
    const sum = answer.items.reduce((bytes, item) => bytes + item.bytes, 0);
    if (group_by !== 'node') expect(sum, `groups of flows by ${group_by}`).toBe(total.bytes);
    else {
      for (const { node_id, bytes } of answer.items) {
        const own = await groups({ group_by: 'service', node_id });
        expect(own.sums.bytes, 'a node as group and as filter').toBe(bytes);
      }
    }
  }

  const pairs = (await groups()).items;
  const topology = await readTopology(everyone, null, TopologyInput.parse(range));
  const between = (a: string, b: string) => (x: string | null, y: string | null) =>
    (x === a && y === b) || (x === b && y === a);
  for (const [index, a] of workloads.entries()) {
    for (const b of workloads.slice(index + 1)) {
      const isPair = between(a, b);
      const mapped = topology.edges.filter((edge) => isPair(edge.source, edge.destination));
      const listed = pairs.filter((pair) => isPair(pair.source_workload_id, pair.destination_workload_id));
      const bytes = (of: readonly { bytes: number }[]) => of.reduce((sum, one) => sum + one.bytes, 0);
      expect(bytes(mapped), 'a pair on the map and in flows').toBe(bytes(listed));
    }
  }
  const known = pairs.filter((pair) => pair.source_workload_id !== null || pair.destination_workload_id !== null);
  for (const field of ['bytes', 'packets', 'flows'] as const) {
    const mapped = topology.edges.reduce((sum, edge) => sum + edge[field], 0);
    expect(mapped, `the map: ${field}`).toBe(known.reduce((sum, pair) => sum + pair[field], 0));
  }

  const talkers = await readTopTalkers(everyone, TrafficInput.parse(range), 10);
  for (const id of workloads) {
    const talker = talkers.items.find(({ workload }) => workload.id === id);
    const { traffic } = await readInsightsOverview(everyone, rules, InsightsInput.parse({ id, ...range }));
    const { bytes_in, bytes_out, packets, flows } = talker ?? { bytes_in: 0, bytes_out: 0, packets: 0, flows: 0 };
    expect(traffic, 'a talker and its insights').toMatchObject({ bytes_in, bytes_out, packets, flows });
    const { bytes } = traffic;
    expect((await readFlowSeries(everyone, { ...range, workload_id: id })).sums).toEqual({ bytes, packets, flows });
    expect((await readInsightSeries(everyone, InsightsInput.parse({ id, ...range }))).sums).toEqual({
      ...{ bytes, packets, flows },
    });
  }

  // Where only single flows can tell, their totals are estimated; the same ones count in every answer.
  const single = await Promise.all(['source', 'destination'].map((group_by) => groups({ group_by })));
  const estimate = await readFlowSeries(everyone, { ...range, address: '0.0.0.0/0' });
  for (const answer of single) expect(answer.sums, 'single flows').toEqual(estimate.sums);
}

it('has one total on every page, whatever two nodes report and whatever range is asked for', async () => {
  const offset = fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 40 * 60 }));
  const property = fc.asyncProperty(
    fc.array(report, { minLength: 1, maxLength: 25 }),
    fc.constantFrom(0, 3, 9, 26),
    fc.array(fc.tuple(offset, offset), { minLength: 1, maxLength: 3 }),
    async (reports, hoursLater, ranges) => {
      await plant(reports);
      time.advance(hoursLater * 3600);
      if (hoursLater > 0) await retainTelemetry();
      await settle();
      const now = START + hoursLater * 60 * MINUTE;
      const at = (minutesAgo: number) => new Date(now - minutesAgo * MINUTE).toISOString();
      for (const [a, b] of ranges) await comparePages({ since: at(Math.max(a, b) + 1), until: at(Math.min(a, b)) });
    },
  );
  await fc.assert(
    property.beforeEach(async () => {
      await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, traffic_marks, traffic_owners,
        traffic_by_workload, traffic_totals, flow_hour_totals, flow_complete_hours, interface_traffic, interface_samples, agent_heartbeats`;
      await sql`update traffic_version set version = version + 1`;
      time?.restore();
      time = fakeClock(new Date(START));
    }),
    { numRuns: 10 },
  );
}, 300_000);
