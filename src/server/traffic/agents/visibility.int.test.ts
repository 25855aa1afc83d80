import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOURLY_HOURS } from '@/domain/flow/plan-range';
import type { WorkloadVisibility } from '@/domain/impact/evidence';
import { FLOW_CHECKS } from '@/domain/impact/flow-checks';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { countQueries } from '@/test/count-queries';
import { bearer, makeAgent, makeCluster, makeNode, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { freshAddressBook } from '../flows/address-book';
import { retainTelemetry } from '../flows/upkeep';
import { readConfidence } from './read-confidence';
import { makeFlow, makeHeartbeat } from './testing/heartbeat.fixture';
import { ReportingAgent } from './testing/reporting-agent.fixture';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const sql = sqlClient();
let time: ReturnType<typeof fakeClock>;
let start: number;
let cluster: { id: string };
let node: { id: string };
let workload: { id: string };
let agent: ReportingAgent;

/** At the start of an hour some hours ago: tests move the clock up to the present. */
beforeAll(async () => {
  cluster = await makeCluster();
});
beforeEach(async () => {
  start = Math.floor(Date.now() / HOUR) * HOUR - 6 * HOUR;
  time = fakeClock(new Date(start));
  node = await makeNode(cluster);
  agent = await ReportingAgent.enroll(node);
  workload = await makeWorkload(cluster, null, { node_id: node.id, created_at: new Date(start - HOUR).toISOString() });
});
afterEach(() => time.restore());

const at = (minutes: number) => new Date(start + minutes * MINUTE).toISOString();
const now = () => clock.now().getTime();

/** Heartbeats every minute; `send` returns whether one is delivered. */
async function reportFor(
  minutes: number,
  send: (minute: number) => Parameters<ReportingAgent['report']> | null = () => [],
) {
  const from = Math.round((now() - start) / MINUTE);
  for (let minute = from + 1; minute <= from + minutes; minute += 1) {
    time.advance(60);
    const [observed = {}, values = {}] = send(minute) ?? [];
    const heartbeat = agent.make(observed, { interval_seconds: 60, ...values });
    if (send(minute)) await agent.send(heartbeat);
  }
}

const read = async (from: number, to: number, headers?: { authorization: string }, of = workload) => {
  const known = headers ?? (await bearer(await makeUser('admin')));
  const response = await call(`/workloads/${of.id}/visibility?since=${at(from)}&until=${at(to)}`, { headers: known });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as WorkloadVisibility;
};
const visibility = async (from: number, to: number, of = workload) => {
  const { items } = await readConfidence('all', [of.id], { since: Date.parse(at(from)), until: Date.parse(at(to)) });
  return items[0];
};

describe('GET /workloads/{workload_id}/visibility', () => {
  it('returns full where heartbeats cover everything', async () => {
    await reportFor(90);
    expect(await read(10, 85)).toEqual({
      workload_id: workload.id,
      workload_name: expect.any(String),
      since: at(10),
      until: at(85),
      level: 'full',
      score: 1,
      parts: { covered: 1, delivered: 1, captured: 1, logged: 1 },
      reasons: [],
      reasons_total: 0,
      checks: FLOW_CHECKS.map((check) => expect.objectContaining({ check })),
      first_missing: null,
      node_id: node.id,
    });
  });

  it('walks to what keeps flows away, from the node to reports by another one', async () => {
    const bare = await makeNode(cluster);
    const quiet = await makeWorkload(cluster, null, { node_id: bare.id, status: 'running' });
    expect((await read(0, 60, undefined, quiet)).first_missing).toBe('known');
    await sql`update workloads set created_at = ${at(-60)} where id = ${quiet.id}`;
    await sql`update nodes set status = 'online' where id = ${bare.id}`;
    const state = async (name: string) =>
      (await read(0, 60, undefined, quiet)).checks.find(({ check }) => check === name)?.detail;
    expect((await read(0, 60, undefined, quiet)).first_missing).toBe('agent');
    expect(await state('agent')).toBe('no_agent');
    await sql`insert into unconfirmed_flows (node_id, cluster_id, vmid, workload_id, state, received_at, observed_at, report)
      values (${node.id}, ${cluster.id}, ${quiet.vmid}, ${quiet.id}, 'waiting', now(), now(), '{}')`;
    expect(await state('placement')).toBe('waiting');
  });

  it('has the same score for the node as for a workload that was on it, and requires agent:read', async () => {
    await reportFor(120, (minute) => (minute > 30 && minute <= 50 ? null : []));
    await sql`update nodes set created_at = ${at(-60)} where id = ${node.id}`;
    const ofNode = async (headers: { authorization: string }) =>
      call(`/nodes/${node.id}/visibility?since=${at(0)}&until=${at(100)}`, { headers });
    const { checks: _, first_missing: __, workload_id: ___, workload_name, ...same } = await read(0, 100);
    const shown = await (await ofNode(await bearer(await makeUser('admin')))).json();
    expect(shown).toEqual({ ...same, node_id: node.id, node_name: expect.any(String) });
    const { ours } = await makeTwoTenants('viewer');
    expect((await ofNode(ours.headers)).status).toBe(403);
  });

  it('gives figures of coverage their score', async () => {
    // The gap is behind midnight, which is on the hour, whenever this runs.
    await reportFor(150, (minute) => (minute > 125 && minute <= 140 ? null : []));
    const midnight = Date.parse(`${clock.now().toISOString().slice(0, 10)}T00:00:00.000Z`);
    const { score } = await read((midnight - start) / MINUTE, 150);
    const headers = await bearer(await makeUser('admin'));
    const response = await call(`/coverage/workloads?workload_id=${workload.id}&days=1`, { headers });
    const [row] = ((await response.json()) as { items: { evidence_score: number }[] }).items;
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThan(1);
    expect(row?.evidence_score).toBeCloseTo(score, 3);
  });

  it('names a gap to the second', async () => {
    await reportFor(120, (minute) => (minute > 30 && minute <= 50 ? null : []));
    expect(await read(0, 100)).toMatchObject({
      level: 'partial',
      score: expect.closeTo(0.8, 9),
      reasons: [{ kind: 'gap', since: at(30), until: at(50), detail: 'no_heartbeats', lost_share: null }],
    });
  });

  it('leaves out the last moments, for which heartbeats are due', async () => {
    await reportFor(60);
    time.advance(80);
    const shown = await read(0, 240);
    expect(shown).toMatchObject({ level: 'full', since: at(0), until: new Date(now() - 90_000).toISOString() });
    time.advance(120);
    expect(await read(0, 240)).toMatchObject({ level: 'partial', reasons: [{ kind: 'gap', since: at(60) }] });
  });

  it('gives the injected loss of heartbeats and flows within 1 %', async () => {
    for (const [everyNth, left_out] of [
      [4, 0],
      [5, 30],
      [10, 50],
    ] as const) {
      const from = Math.round((now() - start) / MINUTE);
      await reportFor(60, (minute) => (minute % everyNth === 0 ? null : [{ flows: 100, left_out }]));
      await reportFor(2);
      const expected = (1 - 1 / everyNth) * (1 - left_out / 100);
      const found = await visibility(from, from + 60);
      expect(Math.abs((found?.score ?? 0) - expected)).toBeLessThan(0.01);
      expect(found?.parts.covered).toBeCloseTo(1 - 1 / everyNth, 2);
      expect(found?.parts.delivered).toBeCloseTo(1 - left_out / 100, 2);
      time.advance(58 * 60);
      agent.restart();
    }
  });

  it('counts heartbeats from the spool in the hours that they cover, once', async () => {
    const kept: ReturnType<ReportingAgent['make']>[] = [];
    await reportFor(40);
    for (let minute = 0; minute < 90; minute += 1) {
      time.advance(60);
      kept.push(agent.make({ flows: 10, left_out: 1 }, { interval_seconds: 60 }));
    }
    await reportFor(10);
    expect(await visibility(0, 135)).toMatchObject({
      level: 'partial',
      reasons: [{ kind: 'gap', since: at(40), until: at(130) }],
    });
    for (const heartbeat of kept.toReversed()) await agent.send(heartbeat);
    const late = await visibility(0, 135);
    expect(late).toMatchObject({ parts: { covered: 1 }, reasons: [{ kind: 'truncated' }] });
    expect((await agent.send(kept[3] as (typeof kept)[number])).duplicate).toBe(true);
    expect(await visibility(0, 135)).toEqual(late);
  });

  it('measures agents that do not state what a heartbeat covers by the one before it', async () => {
    const silent = { observed_since: undefined, interval_seconds: 60 };
    await reportFor(60, (minute) => (minute === 20 || minute === 21 ? null : [{}, silent]));
    expect(await visibility(2, 58)).toMatchObject({
      reasons: [{ kind: 'gap', since: at(19), until: at(21) }],
      reasons_total: 1,
    });
  });

  it('returns none without an agent, without a node, and without any heartbeat in the range', async () => {
    const created_at = at(-60);
    const bare = await makeWorkload(cluster, null, { node_id: (await makeNode(cluster)).id, created_at });
    await reportFor(70);
    expect(await visibility(0, 60, bare)).toMatchObject({ level: 'none', score: 0, reasons: [{ kind: 'no_agent' }] });
    const nowhere = await makeWorkload(cluster, null, { node_id: null, created_at });
    expect(await visibility(0, 60, nowhere)).toMatchObject({
      level: 'none',
      reasons: [{ kind: 'no_agent', detail: 'no_node' }],
    });
    time.advance(2 * 3600);
    expect(await visibility(80, 140)).toMatchObject({
      level: 'none',
      score: 0,
      reasons: [{ kind: 'gap', since: at(80), until: at(140) }],
    });
    expect(await visibility(-60, 0)).toMatchObject({ level: 'none', reasons: [{ kind: 'no_agent' }] });
  });

  it('shows a capture that does not work, dropped packets and lost log lines in their hours', async () => {
    await reportFor(60, (minute) => [minute > 30 && minute <= 40 ? { capture: 'unavailable' } : {}]);
    await reportFor(60, (minute) => [
      minute > 90 ? { table_full_packets: 60_000, log_lines: 10, over_limit_lines: 90 } : {},
    ]);
    agent.restart();
    await reportFor(60);
    await reportFor(62, () => [{ capture: 'unavailable', conntrack: 'unavailable' }]);
    const shown = await visibility(0, 240);
    expect(shown?.reasons).toEqual([
      // The next heartbeat reaches a second into this time.
      { kind: 'conntrack_only', since: at(30), until: at(40 - 1 / 60), detail: null, lost_share: null },
      { kind: 'capture_drops', since: at(60), until: at(120), detail: null, lost_share: 0.5 },
      { kind: 'logs_limited', since: at(60), until: at(120), detail: null, lost_share: expect.closeTo(0.9) },
      { kind: 'gap', since: at(180), until: at(240), detail: 'no_collector', lost_share: null },
    ]);
    expect(shown?.score).toBeCloseTo((2 + 0.5) / 4, 9);
  });

  it('follows a workload that moved to another node', async () => {
    const other = await makeNode(cluster);
    await makeAgent(other);
    await reportFor(60);
    await sql`update workloads set node_id = ${other.id} where id = ${workload.id}`;
    await sql`update workload_placements set seen_at = ${at(30)}, left_at = ${at(35)} where workload_id = ${workload.id}`;
    await sql`update node_agents set enrolled_at = ${at(-60)} where node_id = ${other.id}`;
    expect(await visibility(0, 58)).toMatchObject({
      score: expect.closeTo(30 / 58, 9),
      reasons: [
        { kind: 'moved', since: at(30), until: at(35), detail: 'between_nodes' },
        { kind: 'gap', since: at(35), until: at(58) },
      ],
    });
  });

  it('returns 404 for a workload of another tenant, and leaves it out of the confidence of a change', async () => {
    const { ours, theirs } = await makeTwoTenants('viewer');
    const hidden = await call(`/workloads/${theirs.workload.id}/visibility`, { headers: ours.headers });
    expect(hidden.status).toBe(404);
    const reach = { tenants: [ours.tenant.id], projects: [] };
    const window = { since: start, until: start + HOUR };
    const ids = [ours.workload.id, theirs.workload.id];
    expect((await readConfidence(reach, ids, window)).items.map(({ workload_id }) => workload_id)).toEqual([
      ours.workload.id,
    ]);
    expect(await readConfidence(reach, [theirs.workload.id], window)).toMatchObject({ level: 'none', items: [] });
  });

  it('counts only time in which the workload belonged to the tenant', async () => {
    const { cluster: shared, ours, theirs } = await makeTwoTenants('viewer');
    const place = await makeNode(shared);
    agent = await ReportingAgent.enroll(place);
    await sql`update workloads set node_id = ${place.id}, created_at = ${at(-60)} where id = ${theirs.workload.id}`;
    await reportFor(60);
    await sql`update workloads set project_id = ${ours.project.id} where id = ${theirs.workload.id}`;
    await sql`update workload_owners set to_at = ${at(40)} where workload_id = ${theirs.workload.id} and to_at is not null`;
    await sql`update workload_owners set from_at = ${at(40)} where workload_id = ${theirs.workload.id} and to_at is null`;
    const window = { since: start, until: start + 50 * MINUTE };
    const shown = await readConfidence({ tenants: [ours.tenant.id], projects: [] }, [theirs.workload.id], window);
    expect(shown.items[0]).toMatchObject({
      score: expect.closeTo(0.2, 9),
      reasons: [{ kind: 'moved', since: at(0), until: at(40), detail: 'other_owner' }],
    });
    expect((await readConfidence('all', [theirs.workload.id], window)).score).toBe(1);
  });

  it('returns 400 for a range that ends before it starts', async () => {
    const headers = await bearer(await makeUser('admin'));
    const response = await call(`/workloads/${workload.id}/visibility?since=${at(10)}&until=${at(5)}`, { headers });
    expect(response.status).toBe(400);
  });

  it('reads any number of workloads with the same queries', async () => {
    const more = await Promise.all(Array.from({ length: 20 }, () => makeWorkload(cluster, null, { node_id: node.id })));
    const window = { since: start, until: start + HOUR };
    const queries = async (ids: string[]) => (await countQueries(() => readConfidence('all', ids, window))).queries;
    expect(await queries([workload.id])).toBe(5);
    expect(await queries([workload.id, ...more.map(({ id }) => id)])).toBe(5);
  });
});

describe('hours of agents', () => {
  const rows = () => sql`select * from agent_hours where node_id = ${node.id} order by hour_at`;

  it('take one row for each hour, whatever number of heartbeats', async () => {
    await reportFor(150);
    expect(
      (await rows()).map(({ heartbeats, reported }) => [heartbeats, String(reported).split('[').length - 1]),
    ).toEqual([
      [60, 1],
      [60, 1],
      [30, 1],
    ]);
  });

  it('count the losses of an agent once, also when another agent of the node reports in between', async () => {
    const observed = { table_full_packets: 500, log_lines: 900, over_limit_lines: 70 };
    await reportFor(2, () => [observed]);
    await agent.report({}, { boot_id: crypto.randomUUID(), sequence: 0 });
    await reportFor(2, () => [observed]);
    expect(await rows()).toMatchObject([{ packets_lost: '500', log_lines: '900', log_lines_lost: '70' }]);
  });

  it('have what a heartbeat without diagnostics shows, and count rejected flows as lost', async () => {
    const other = await makeNode(cluster);
    const headers = await makeAgent(other);
    time.advance(600);
    const flows = [makeFlow({ observed_at: at(9), collector: 'ebpf' }), makeFlow({ observed_at: at(-3000) })];
    const body = makeHeartbeat(flows, { sent_at: at(10), interval_seconds: 60 });
    await call('/agents/heartbeat', { method: 'POST', body, headers });
    const [row] = await sql`select * from agent_hours where node_id = ${other.id}`;
    expect(row).toMatchObject({ heartbeats: 1, flows_seen: '2', flows_rejected: '1', tracked: '{}' });
    expect(row?.captured).toBe(row?.reported);
  });

  it('have the places of workloads beside them, of which the attribution of flows reads only the last', async () => {
    const other = await makeNode(cluster);
    const left = async (hours: number) => {
      const times = { seen: `${hours + 1} hours`, left: `${hours} hours` };
      await sql`insert into workload_placements (workload_id, node_id, seen_at, left_at)
        values (${workload.id}, ${other.id}, now() - ${times.seen}::interval, now() - ${times.left}::interval)`;
    };
    for (const hours of [1, 100, HOURLY_HOURS + 24]) await left(hours);
    time.restore();
    await retainTelemetry();
    expect(await sql`select 1 from workload_placements where workload_id = ${workload.id}`).toHaveLength(2);
    const book = await freshAddressBook();
    expect(book.placeOf(workload.id)?.past).toHaveLength(1);
  });

  it('expire with hourly aggregates', async () => {
    await reportFor(2);
    const age = async (hours: number) =>
      sql`update agent_hours set hour_at = hour_at - make_interval(hours => ${hours}) where node_id = ${node.id}`;
    await age(HOURLY_HOURS - 1);
    await retainTelemetry();
    expect(await rows()).toHaveLength(1);
    await age(2);
    expect((await retainTelemetry()).agent_hours).toBeGreaterThan(0);
    expect(await rows()).toHaveLength(0);
  });
});
