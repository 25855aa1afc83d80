import { beforeAll, describe, expect, it } from 'vitest';
import { TRAFFIC_MODES } from '@/domain/choices';
import { InsightFlowsInput, Insights, InsightsInput, type TrafficMode } from '@/domain/insights';
import { type IpAddress, parseIp } from '@/domain/net/ip-address';
import { systemScope } from '@/server/auth/scope';
import { sqlClient } from '@/server/db/client';
import { addFormerPlacements, bearer, makeAgent, makeNode, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';
import { addressBook } from '../../traffic/flows/address-book';
import { listInsightFlows, readInsightDecisions } from './list-insights';
import { readInsightSeries, readInsightsOverview } from './overview';
import {
  ago,
  atWeb,
  DATABASE,
  flow,
  type InsightTraffic,
  makeInsightTraffic,
  ONE,
  OUTSIDE,
  query,
  TWO,
  WEB,
} from './testing/insight-traffic.fixture';

const sql = sqlClient();
let fixture: InsightTraffic;

beforeAll(async () => {
  fixture = await makeInsightTraffic();
  for (const [node, flows] of [
    [fixture.one, ONE],
    [fixture.two, TWO],
  ] as const) {
    const response = await call('/agents/heartbeat', {
      method: 'POST',
      body: makeHeartbeat([...flows]),
      headers: await makeAgent(node),
    });
    expect(await response.json()).toMatchObject({ accepted: flows.length, rejected: [] });
  }
});

const flowScope = (reach: 'all' | string[] = 'all') => systemScope('flow:read', 'test', reach);
const ruleScope = (reach: 'all' | string[] = 'all') => systemScope('workload:read', 'test', reach);
const web = () => fixture.ours.workload.id;
const ours = () => [fixture.ours.tenant.id];
const toInput = (query: object = {}) => InsightsInput.parse({ id: web(), ...query });
const list = (query: object = {}, reach: 'all' | string[] = 'all') =>
  listInsightFlows(flowScope(reach), null, InsightFlowsInput.parse({ id: web(), ...query }));
const overview = (query: object = {}, reach: 'all' | string[] = 'all') =>
  readInsightsOverview(flowScope(reach), ruleScope(reach), toInput(query));
const sumBytes = (items: readonly { bytes: number | null }[]) =>
  items.reduce((sum, item) => sum + (item.bytes ?? 0), 0);

/** Bytes by view: digits say which flows are in. */
const BYTES: Record<TrafficMode, number> = {
  all: 1_111_111,
  inbound: 1_110,
  outbound: 1_100_001,
  internal: 1_100_011,
  external: 11_100,
  denied: 1_000,
};

/**
 * The same as traffic: of what both nodes reported, the larger counts; totals cannot show which workload has an
 * unknown address.
 */
const TRAFFIC: Record<TrafficMode, number> = {
  all: 12_101_100,
  inbound: 6_001_100,
  outbound: 6_100_000,
  internal: 12_100_000,
  external: 1_100,
  denied: 1_000,
};

describe('flows of a workload', () => {
  it.each(TRAFFIC_MODES)('count once each in view %s', async (traffic_mode) => {
    const { items, total } = await list({ traffic_mode });
    expect(sumBytes(items)).toBe(BYTES[traffic_mode]);
    expect(total).toBe(items.length);
    const { summary } = await overview({ traffic_mode });
    expect(summary).toMatchObject({ bytes: BYTES[traffic_mode], flows: total });
    expect(sumBytes(summary.by_decision)).toBe(BYTES[traffic_mode]);
    expect(sumBytes(summary.top_ports)).toBe(BYTES[traffic_mode]);
    const series = await readInsightSeries(flowScope(), toInput({ traffic_mode, since: ago(30) }));
    expect(series.sums.bytes).toBe(TRAFFIC[traffic_mode]);
    const { traffic } = await overview({ traffic_mode, since: ago(30) });
    expect(traffic).toMatchObject({ ...series.sums, source: series.source, since: series.since, until: series.until });
    const both = traffic.bytes_in + traffic.bytes_out;
    expect(both).toBe(TRAFFIC[traffic_mode]);
  });

  it('come page by page without a gap, whatever sorts them', async () => {
    for (const sort of ['-observed_at', 'bytes', '-destination_port', 'source_ip']) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ limit: 3, sort, ...(cursor && { cursor }) });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      expect(new Set(seen).size).toBe(7);
      expect(seen).toHaveLength(7);
    }
  });

  it('have labels by the longest subnet, and say who is there', async () => {
    const { items } = await list({ port: 5432 });
    expect(items).toHaveLength(2);
    expect(items.find(({ source_ip }) => source_ip === WEB)).toMatchObject({
      node_name: 'one',
      source_label: `${WEB} internal (10.1.0.0/16)`,
      destination_label: `${DATABASE} internal (10.1.2.0/24)`,
      destination_workload_id: fixture.theirs.workload.id,
    });
  });

  it('reach a tenant without data of another tenant', async () => {
    const { items } = await list({}, ours());
    expect(sumBytes(items)).toBe(BYTES.all);
    const text = JSON.stringify([items, (await overview({}, ours())).summary]);
    expect(text).not.toContain(fixture.theirs.workload.id);
    expect(text).not.toContain(fixture.theirs.workload.name);
    expect(text).not.toContain('tap902i0');
    await expect(
      listInsightFlows(flowScope(ours()), null, InsightFlowsInput.parse({ id: fixture.theirs.workload.id })),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('match when they were active in the range, including its limits', async () => {
    const at = (change: object) => list(change).then(({ total }) => total);
    expect(await at({ since: ago(20), until: ago(11) })).toBe(0);
    expect(await at({ since: ago(20), until: ago(9) })).toBe(7);
    // Only the database's node saw these two later; what web's saw is not of the range.
    expect(sumBytes((await list({ since: ago(4.5) })).items)).toBe(11_000_000);
    expect(await at({ since: ago(3) })).toBe(0);
    await expect(list({ since: ago(1), until: ago(2) })).rejects.toMatchObject({ code: 'malformed' });
  });
});

describe('a flow whose address now belongs to another workload', () => {
  it('stays with the workload that had the address then', async () => {
    const moved = '10.1.0.66';
    const [row] = await sql`select network_id, subnet_id from ip_addresses where address = ${WEB}::inet`;
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${fixture.cluster.id}, ${row?.network_id}, ${row?.subnet_id}, ${moved}, ${fixture.before.id}, 'manual')`;
    const node = await makeNode(fixture.cluster);
    await addFormerPlacements(node, fixture.before, fixture.stranger);
    const headers = await makeAgent(node);
    const of = async (id: string) =>
      (await listInsightFlows(flowScope(), null, InsightFlowsInput.parse({ id }))).items
        .map((item) => item.source_port)
        .sort();
    // The address book of the service looks for changes every two seconds at most; an end once resolved stays.
    const report = async (source_port: number, owner: string) => {
      const findOwners = async () =>
        (await addressBook()).endOf(fixture.cluster.id, parseIp(moved) as IpAddress).workload_ids;
      await expect.poll(findOwners).toEqual([owner]);
      const body = makeHeartbeat([flow({ source_ip: OUTSIDE, destination_ip: moved, source_port })]);
      await call('/agents/heartbeat', { method: 'POST', body, headers });
      expect(await of(owner)).toContain(source_port);
    };
    await report(50_001, fixture.before.id);
    await sql`update ip_addresses set workload_id = ${fixture.stranger.id} where address = ${moved}::inet`;
    await report(50_002, fixture.stranger.id);
    expect(await of(fixture.before.id)).toEqual([50_001]);
    expect(await of(fixture.stranger.id)).toEqual([50_002]);
  });

  it('has a row of each node after a migration, with what each of them saw', async () => {
    const again = flow({ ...query, ...atWeb, source_port: 42_000, bytes: 3, packets: 1 });
    for (const [node, bytes] of [
      [fixture.three, 3],
      [fixture.four, 4],
    ] as const) {
      const body = makeHeartbeat([{ ...again, destination_ip: '198.51.100.44', bytes }]);
      await call('/agents/heartbeat', { method: 'POST', body, headers: await makeAgent(node) });
    }
    const page = await list({ address: '198.51.100.44' });
    expect(page.items.map(({ bytes }) => bytes).sort()).toEqual([3, 4]);
    await sql`delete from traffic_flows where destination_ip = '198.51.100.44'`;
    await sql`delete from traffic_conversations where server_ip = '198.51.100.44'`;
  });
});

describe('the summary', () => {
  it('names directions, peers and ports', async () => {
    const { summary, workload, audit_policies } = await overview();
    expect(workload).toMatchObject({ id: web(), vmid: 901, node_name: 'one' });
    expect(audit_policies).toEqual([]);
    expect(summary.inbound).toEqual({ flows: 3, bytes: 1_110, packets: 3 });
    expect(summary.outbound).toEqual({ flows: 3, bytes: 1_100_001, packets: 3 });
    expect(summary.by_decision).toEqual([
      { decision: 'drop', flows: 1, conversations: 1, bytes: 1_000, packets: 1 },
      { decision: 'observed', flows: 6, conversations: 5, bytes: 1_110_111, packets: 6 },
    ]);
    expect(summary.peers_total).toBe(3);
    expect(summary.top_peers[0]).toEqual({
      ip: DATABASE,
      label: `${DATABASE} internal (10.1.2.0/24)`,
      workload_id: fixture.theirs.workload.id,
      workload_name: fixture.theirs.workload.name,
      flows: 3,
      conversations: 2,
      bytes: 1_000_011,
      packets: 3,
      opened_by_peer: 0,
    });
    expect(summary.top_peers.at(-1)).toMatchObject({ ip: OUTSIDE, label: `${OUTSIDE} external`, workload_id: null });
    expect(summary.top_ports.map(({ port, flows, opened_by_peer }) => [port, flows, opened_by_peer])).toEqual([
      [9999, 1, 0],
      [443, 2, 1],
      [80, 1, 0],
      [22, 1, 1],
      [5432, 2, 0],
    ]);
  });

  it('counts by what decides; a guest that cannot be read decides nothing', async () => {
    const decisions = await readInsightDecisions(flowScope(), ruleScope(), toInput());
    expect(decisions).toMatchObject({
      flows: 7,
      by_context: [
        { decision: 'drop', flows: 1 },
        { decision: 'observed', flows: 6 },
      ],
      conflicts: 0,
      audit: [],
    });
  });
});

describe('GET /workloads/{id}/insights', () => {
  const get = async (query = '', headers?: { authorization: string }, id = web()) => {
    const by = headers ?? (await bearer(await makeUser('viewer')));
    return call(`/workloads/${id}/insights?${query}`, { headers: by });
  };
  const read = async (query = '', headers?: { authorization: string }): Promise<Insights> => {
    const response = await get(query, headers);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return JSON.parse(text);
  };
  const sorted = <T extends { id: string }>(flows: readonly T[]) => [...flows].sort((a, b) => (a.id < b.id ? -1 : 1));

  it.each(TRAFFIC_MODES)('returns exactly the flows and totals of the pages, in view %s', async (mode) => {
    const answer = await read(`traffic_mode=${mode}`);
    expect(Insights.parse(answer)).toEqual(answer);
    const pages = await list({ traffic_mode: mode, limit: 500 });
    expect(sorted(answer.flows)).toEqual(sorted(pages.items));
    const { summary, workload } = await overview({ traffic_mode: mode });
    expect(answer.summary).toEqual(summary);
    expect(answer).toMatchObject({ workload, traffic_mode: mode, audit_policies: [] });
    expect(Object.keys(answer)).not.toContain('active_firewall_rules');
    expect(answer.flows.every((flow) => flow.context === undefined)).toBe(true);
  });

  it('adds what decides and the rules when asked; what cannot be read is unknown', async () => {
    const answer = await read('include_flow_context=true&include_rules=true');
    expect(Insights.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ active_firewall_rules: null, unreadable: [{ part: 'guest' }, { part: 'options' }] });
    expect(answer.summary).toMatchObject({
      conflicts: 0,
      by_context: [{ decision: 'drop' }, { decision: 'observed' }],
    });
    expect(answer.flows.map(({ context }) => context?.decided_by.kind)).toEqual(Array(7).fill('unknown'));
    expect(answer.flows.filter(({ context }) => context?.logged)).toHaveLength(1);
  });

  it('takes the older name of the view, and refuses what is unclear', async () => {
    expect((await read('traffic=denied')).flows).toHaveLength(1);
    expect((await read('traffic=denied&traffic_mode=denied')).flows).toHaveLength(1);
    for (const [query, field, text] of [
      ['traffic=denied&traffic_mode=all', 'traffic', 'one of them'],
      ['traffic_mode=sideways', 'traffic_mode', 'all, inbound, outbound, internal, external, denied'],
      ['traffic=sideways', 'traffic', 'all, inbound, outbound, internal, external, denied'],
      ['include_rules=maybe', 'include_rules', 'One of true, false.'],
      [`since=${ago(1)}&until=${ago(2)}`, 'since', 'Earlier'],
      ['flows=1', 'flows', ''],
    ] as const) {
      const response = await get(query);
      expect(response.status, query).toBe(400);
      const { errors } = (await response.json()) as { errors: { field: string; message: string }[] };
      expect(errors[0]).toMatchObject({ field, message: expect.stringContaining(text) });
    }
  });

  it('tells a tenant nothing of others, and of others’ workloads nothing', async () => {
    const ourUser = await bearer(fixture.ours.user);
    const answer = await read('', ourUser);
    expect(sumBytes(answer.flows)).toBe(BYTES.all);
    const text = JSON.stringify(answer);
    for (const secret of [fixture.theirs.workload.id, fixture.theirs.workload.name, 'tap902i0']) {
      expect(text).not.toContain(secret);
    }
    expect((await get('', ourUser, fixture.theirs.workload.id)).status).toBe(404);
    expect((await get('', ourUser, fixture.stranger.id)).status).toBe(404);
  });

  it('ends the query when its reader goes', async () => {
    const response = await get('');
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    // The connections of long answers are few: were one kept, these would wait for ever.
    for (let i = 0; i < 4; i++) expect((await read()).flows).toHaveLength(7);
  });

  it('ends in the middle of very many flows, and leaves nothing open', async () => {
    await sql`insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port,
        destination_port, decision, first_seen_at, observed_at, collector, workload_id, destination_workload_id, raw)
      select ${fixture.one.id}, gen_random_uuid(), ${fixture.cluster.id}, '203.0.113.1', '10.1.0.99', 'tcp', i % 60000, 80,
        'observed', now(), now(), 'ebpf', ${fixture.many.id}, ${fixture.many.id}, jsonb_build_object('zone', repeat('x', 500))
      from generate_series(1, 3000) as i`;
    for (const chunks of [1, 3, 6]) {
      const reader = (await get('', undefined, fixture.many.id)).body?.getReader();
      for (let i = 0; i < chunks; i++) await reader?.read();
      await reader?.cancel();
    }
    const countOpen = async () => {
      const [open] = await sql`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
      return open?.n;
    };
    await expect.poll(countOpen).toBe(0);
    const whole: Insights = await (await get('', undefined, fixture.many.id)).json();
    expect([whole.flows.length, whole.summary.flows]).toEqual([3000, 3000]);
    expect(new Set(whole.flows.map(({ id }) => id)).size).toBe(3000);
  });
});
