import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dashboard } from '@/domain/dashboard/dashboard';
import type { Topology } from '@/domain/topology/topology';
import { systemScope } from '@/server/auth/scope';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeNode, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { sumTraffic } from '../../traffic/flows/upkeep';
import { readOutsideConnections } from './read-outside-connections';
import { ago, flow, NOW, type PlantedDashboard, plantDashboard, WEB } from './testing/planted-dashboard.fixture';

const sql = sqlClient();
const time = fakeClock(NOW);
/** Of a whole dashboard, the session's included. */
const QUERIES = 23;
let fixture: PlantedDashboard;

beforeAll(async () => {
  fixture = await plantDashboard();
});
afterAll(() => time.restore());

describe('connections from outside', () => {
  const toVerdictKey = (id: string, verdict: string) => `${id} ${verdict}`;

  it('name source, workload, service and verdict, and have the totals of the map', async () => {
    const { from_outside, since, until } = await fixture.read();
    const scopes = [systemScope('flow:read', 'test'), systemScope('workload:read', 'test')] as const;
    const all = await readOutsideConnections(...scopes, { since, until }, 100);
    expect(from_outside).toEqual({ ...all, items: all.items.slice(0, 8) });
    const { items, total, complete, verdicts } = all;
    expect([total, complete]).toEqual([items.length, true]);
    const response = await call(`/topology?since=${since}&until=${until}`, { headers: fixture.admin });
    const { edges } = (await response.json()) as Topology;
    const outside = edges.filter(({ source }) => source.startsWith('external:'));
    const sumBytes = (rows: readonly { bytes: number }[]) => rows.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { destination, verdict, bytes } of outside) {
      const key = toVerdictKey(destination, verdict);
      expect(sumBytes(items.filter((row) => toVerdictKey(row.destination_workload_id, row.verdict) === key))).toBe(
        bytes,
      );
    }
    expect(sumBytes(items)).toBe(sumBytes(outside));
    expect(Object.values(verdicts).reduce((sum, count) => sum + count, 0)).toBe(total);
    const passed = items.map(({ verdict }) => verdict !== 'dropped');
    expect(passed).toEqual([...passed].sort((a, b) => Number(b) - Number(a)));
    expect(items[0]?.source_prefix).toMatch(/\/(24|48)$/);
  });

  it('include only those of the tenant for a tenant', async () => {
    const { ours, theirs } = fixture;
    for (const [mine, other] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      const { from_outside } = await fixture.read('', mine.headers);
      const ids = new Set(from_outside.items.map(({ destination_workload_id }) => destination_workload_id));
      expect(ids).toEqual(new Set([mine.workload.id]));
      expect(JSON.stringify(from_outside)).not.toContain(other.workload.name);
    }
  });
});

describe('traffic', () => {
  const range = `since=${ago(300)}&until=${ago(180)}`;
  const at = (query = '', headers = fixture.admin) => fixture.read(query, headers, range);
  const talkers = ({ top_talkers }: Dashboard) =>
    top_talkers.map(({ workload, bytes_in, bytes_out, flows }) => [workload.id, bytes_in, bytes_out, flows]);

  it('falls back to interface counters, by name', async () => {
    const now = { observed_at: ago(240), first_seen_at: ago(240) };
    expect(await at()).toMatchObject({ top_talkers: [], top_talkers_source: 'flows' });
    await sql`insert into interface_traffic (node_id, interface, observed_at, cluster_id, vmid, nic, workload_id, rx_bytes,
        rx_packets, tx_bytes, tx_packets, bytes, packets, collector)
      values (${fixture.nodes[0].id}, 'tap100i0', ${now.observed_at}, ${fixture.cluster.id}, ${fixture.ours.workload.vmid}, 0,
        ${fixture.ours.workload.id}, 40, 4, 60, 6, 100, 10, 'interface')`;
    expect(await at()).toMatchObject({
      top_talkers_source: 'interface_counters',
      top_talkers: [{ workload: { id: fixture.ours.workload.id, name: fixture.ours.workload.name }, flows: null }],
    });
  });

  it('counts once what two nodes saw', async () => {
    const seen = flow(WEB, '10.1.0.30', 443, { first_seen_at: ago(240), observed_at: ago(240), bytes: 5_000 });
    const third = await makeWorkload(fixture.cluster, fixture.theirs.project, { status: 'stopped', node_id: null });
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${fixture.cluster.id}, ${fixture.network}, ${fixture.subnets.v4}, '10.1.0.30', ${third.id}, 'manual')`;
    const reportAndFind = async () => {
      await fixture.report(0, [seen]);
      const [row] =
        await sql`select destination_workload_id as id from traffic_flows where host(destination_ip) = '10.1.0.30'`;
      return row?.id;
    };
    await expect.poll(reportAndFind, { interval: 200 }).toBe(third.id);
    await sql`delete from traffic_flows where host(destination_ip) = '10.1.0.30'`;
    await sql`truncate flow_rollup_minutes`;
    await fixture.report(0, [seen]);
    await fixture.report(1, [{ ...seen, bytes: 4_000 }]);
    await sumTraffic();
    const dashboard = await at();
    expect(dashboard).toMatchObject({ top_talkers_source: 'flows', top_talkers_sums: { workloads: 2 } });
    expect(talkers(dashboard).sort()).toEqual(
      [
        [fixture.ours.workload.id, 0, 5_000, 1],
        [third.id, 5_000, 0, 1],
      ].sort(),
    );
    expect(dashboard.traffic).toMatchObject({ sums: { bytes: 5_000, flows: 1 }, as_of: expect.any(String) });
    expect(talkers(await at('', fixture.ours.headers))).toEqual([[fixture.ours.workload.id, 0, 5_000, 1]]);
    expect(talkers(await at(`&tenant_id=${fixture.theirs.tenant.id}`))).toEqual([[third.id, 5_000, 0, 1]]);
    await sql`delete from workloads where id = ${third.id}`;
  });
});

describe('the posture', () => {
  it('equals the sum of its parts', async () => {
    const { security_posture } = await fixture.read();
    expect(security_posture).toMatchObject({
      score: 44,
      level: 'poor',
      enforcement: { running: 2, enforced: 1, unenforced: 1, unknown: 0, share: 0.5, points: 50 },
      policies: { judged: 0, deduction: 0 },
      suspicious: { critical: 2, deduction: 12 },
      agents: { running: 2, watched: 2, silent: 0, unwatched: 0, deduction: 0 },
      arithmetic: [
        { part: 'enforcement', weight: 100, percent: 0, points: 50 },
        { part: 'policies', weight: 20, percent: 0, points: 0 },
        { part: 'suspicious', weight: 30, percent: 12, points: -6 },
        { part: 'agents', weight: 20, percent: 0, points: 0 },
      ],
    });
  });

  it('never takes an unread guest for one that does not filter', async () => {
    const workload = await makeWorkload(fixture.cluster, null, { status: 'running', node_id: null });
    const [off, template] = [
      await makeWorkload(fixture.cluster, null, { status: 'stopped', node_id: null }),
      await makeWorkload(fixture.cluster, null, { status: 'running', template: true, node_id: null }),
    ];
    const { security_posture } = await fixture.read();
    expect(security_posture.enforcement).toMatchObject({
      running: 3,
      enforced: 1,
      unenforced: 1,
      unknown: 1,
      points: 50,
    });
    expect(security_posture.agents).toMatchObject({ running: 3, watched: 2, unwatched: 1 });
    await sql`delete from workloads where id in ${sql([workload.id, off.id, template.id])}`;
  });

  it('leads to the workloads behind its figures', async () => {
    const found = async (query: string, headers = fixture.admin) => {
      const response = await call(`/workloads?${query}`, { headers });
      return ((await response.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
    };
    const { ours, theirs } = fixture;
    expect(await found('enforcement=unenforced')).toEqual([ours.workload.id]);
    expect(await found('enforcement=enforced&status=running')).toEqual([theirs.workload.id]);
    expect(await found('enforcement=enforced&status=stopped')).toEqual([]);
    expect(await found('enforcement=unknown')).toEqual([]);
    expect(await found('enforcement=enforced', ours.headers)).toEqual([]);
    expect((await call('/workloads?enforcement=some', { headers: fixture.admin })).status).toBe(400);
  });

  it('covers only the tenant for a tenant', async () => {
    const ours = (await fixture.read('', fixture.ours.headers)).security_posture;
    expect(ours.enforcement).toMatchObject({ running: 1, enforced: 0, unenforced: 1, share: 0 });
    const theirs = (await fixture.read('', fixture.theirs.headers)).security_posture;
    expect(theirs).toMatchObject({ score: 100, enforcement: { running: 1, enforced: 1, share: 1 } });
  });

  it('evaluates a time range by what reported then, whatever reports now', async () => {
    const { security_posture, monitoring } = await fixture.read();
    // Both agents report now. Their first heartbeat came just now, so most of the range was not monitored.
    expect(security_posture.agents).toMatchObject({ running: 2, watched: 2 });
    expect(monitoring).toEqual({ running: 2, watched: 0, partly: 2, unwatched: 0, unknown: 0 });
    const past = await call(`/dashboard?since=${ago(300)}&until=${ago(240)}`, { headers: fixture.admin });
    expect(await past.json()).toMatchObject({ monitoring: { running: 2, watched: 0, partly: 0, unwatched: 2 } });
    const older = await call(`/dashboard?since=${ago(3_000)}&until=${ago(2_900)}`, { headers: fixture.admin });
    expect(await older.json()).toMatchObject({ monitoring: { running: 2, unwatched: 0, unknown: 2 } });
    for (const node of fixture.nodes) {
      for (let minute = 0; minute < 100; minute += 5) {
        await sql`insert into agent_heartbeats (node_id, boot_id, sequence, received_at, accepted, updated, rejected_count, rejected)
          values (${node.id}, ${node.id}, ${minute}, ${ago(600 + minute)}, 0, 0, 0, '[]')`;
      }
    }
    const full = await call(`/dashboard?since=${ago(660)}&until=${ago(620)}`, { headers: fixture.admin });
    expect(await full.json()).toMatchObject({ monitoring: { running: 2, watched: 2, unwatched: 0 } });
  });

  it('drops when agents become stale', async () => {
    await sql`update node_agents set status = 'silent' where node_id = ${fixture.nodes[1].id}`;
    const dashboard = await fixture.read();
    expect(dashboard.security_posture.agents).toMatchObject({ watched: 1, silent: 1, deduction: 10 });
    expect(dashboard.silent_agents).toEqual([
      expect.objectContaining({ node_id: fixture.nodes[1].id, node_name: 'n2', workloads_running: 1 }),
    ]);
    expect(dashboard.agents).toMatchObject({ nodes: 2, ok: 1, silent: 1, none: 0 });
    await sql`update node_agents set status = 'ok' where node_id = ${fixture.nodes[1].id}`;
  });
});

describe('policies', () => {
  it('have counts by mode and status', async () => {
    expect((await fixture.read()).policies).toMatchObject({
      total: 1,
      enforced: 0,
      audit: 1,
      disabled: 0,
      none: 1,
      attention: [],
    });
    const headers = await bearer(await makeUser('security_engineer'));
    const body = {
      name: 'Nobody there',
      tenant_id: fixture.theirs.tenant.id,
      definition: { enforcement_mode: 'enforced', sources: ['any'], targets: ['vmid:999999'] },
      rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['22'] }],
    };
    const { id } = (await (await call('/policies', { headers, body })).json()) as { id: string };
    const { policies, security_posture } = await fixture.read();
    expect(policies).toMatchObject({
      total: 2,
      enforced: 1,
      unresolved: 1,
      attention: [
        { policy_id: id, policy_name: 'Nobody there', status: 'unresolved', reasons: ['unresolved_endpoint'] },
      ],
    });
    expect(security_posture.policies).toMatchObject({ judged: 1, unresolved: 1, deduction: 20 });
    expect((await fixture.read('', fixture.ours.headers)).policies).toMatchObject({ total: 1, attention: [] });
    expect((await fixture.read('', fixture.theirs.headers)).policies).toMatchObject({ total: 1, unresolved: 1 });
    await call(`/policies/${id}`, { method: 'DELETE', headers });
  });
});

describe('operations', () => {
  it('tells syncs, faulty nodes and conflicts as objects', async () => {
    await sql`update nodes set status = 'offline', fault = 'The node is offline.' where id = ${fixture.nodes[0].id}`;
    await sql`update clusters set sync_status = 'failed', last_sync_error = 'No answer.', last_sync_error_code = 'x',
      missing_write_privileges = '{VM.Config.Network}',
      last_sync_at = ${ago(40)} where id = ${fixture.cluster.id}`;
    const other = await makeCluster();
    for (const [kind, status, minutes] of [
      ['inventory', 'ok', 40],
      ['inventory', 'failed', 5],
      ['ipam', 'ok', 50],
    ] as const) {
      await sql`insert into sync_runs (id, cluster_id, kind, status, trigger, created_at, started_at, finished_at, counters)
        values (gen_random_uuid(), ${fixture.cluster.id}, ${kind}, ${status}, 'auto', ${ago(minutes)}, ${ago(minutes)},
          ${ago(minutes - 1)}, '{"nodes": {"created": 1, "changed": 2, "removed": 0, "errors": 1},
          "guests": {"created": 4, "changed": 0, "removed": 3, "errors": 0}}')`;
    }
    for (const workload of [fixture.ours.workload, null]) {
      await sql`insert into ipam_conflicts (id, cluster_id, kind, key, workload_id)
        values (gen_random_uuid(), ${fixture.cluster.id}, 'duplicate_mac', ${String(workload?.id)}, ${workload?.id ?? null})`;
    }
    const dashboard = await fixture.read();
    expect(dashboard.last_syncs).toEqual([
      {
        cluster_id: fixture.cluster.id,
        cluster_name: fixture.cluster.name,
        sync_status: 'failed',
        last_sync_at: ago(40),
        last_sync_error: 'No answer.',
        last_sync_error_code: 'x',
        missing_write_privileges: ['VM.Config.Network'],
        inventory: {
          run_id: expect.any(String),
          status: 'failed',
          trigger: 'auto',
          created_at: ago(5),
          started_at: ago(5),
          finished_at: ago(4),
          created: 5,
          changed: 2,
          removed: 3,
          errors: 1,
        },
        ipam: expect.objectContaining({ status: 'ok', created_at: ago(50) }),
      },
      expect.objectContaining({ cluster_id: other.id, sync_status: 'never', inventory: null, ipam: null }),
    ]);
    expect(dashboard.faulty_nodes).toEqual([
      {
        node_id: fixture.nodes[0].id,
        node_name: 'n1',
        cluster_id: fixture.cluster.id,
        cluster_name: fixture.cluster.name,
        status: 'offline',
        fault: 'The node is offline.',
        missing_since: null,
        workloads_running: 1,
      },
    ]);
    expect(dashboard.conflicts).toMatchObject({ open: 2, duplicate_mac: 2, duplicate_address: 0 });
    expect(dashboard.inventory).toEqual({ clusters: 2, nodes: 2, workloads: 2, workloads_running: 2 });
    const ours = await fixture.read(`&tenant_id=${fixture.ours.tenant.id}`);
    expect(ours).toMatchObject({ conflicts: { open: 1 }, inventory: { clusters: 1, nodes: 1, workloads: 1 } });
    expect(ours.last_syncs).toHaveLength(1);
    expect((await fixture.read(`&tenant_id=${fixture.theirs.tenant.id}`)).faulty_nodes).toEqual([]);
  });

  it('shows where the log and the rules disagree', async () => {
    const day = (minutes: number) => ago(minutes).slice(0, 10);
    for (const [workload, days, conflicts] of [
      [fixture.ours.workload.id, 0, 3],
      [fixture.ours.workload.id, 1, 4],
      [fixture.ours.workload.id, 2, 50],
      [fixture.theirs.workload.id, 1, 8],
    ] as const) {
      await sql`insert into workload_coverage (day, workload_id, flows, conflicts, last_flow_at)
        values (${day(days * 24 * 60)}, ${workload}, 100, ${conflicts}, ${ago(0)})`;
    }
    const { ours, theirs } = fixture;
    expect((await fixture.read()).verdict_conflicts).toEqual({
      since: day(24 * 60),
      flows: 15,
      workloads: 2,
      most: [
        { workload_id: theirs.workload.id, workload_name: theirs.workload.name, flows: 8 },
        { workload_id: ours.workload.id, workload_name: ours.workload.name, flows: 7 },
      ],
    });
    expect((await fixture.read('', ours.headers)).verdict_conflicts).toMatchObject({ flows: 7, workloads: 1 });
    await sql`truncate workload_coverage`;
    expect((await fixture.read()).verdict_conflicts).toMatchObject({ flows: 0, workloads: 0, most: [] });
  });

  it('does not show a tenant what belongs to the installation', async () => {
    expect(await fixture.read('', fixture.ours.headers)).toMatchObject({
      last_syncs: null,
      faulty_nodes: null,
      silent_agents: null,
      agents: null,
      conflicts: { open: 1 },
      inventory: { clusters: null, nodes: null, workloads: 1, workloads_running: 1 },
    });
  });
});

describe('what is asked for', () => {
  it.each<[() => string, number, string]>([
    [() => 'since=yesterday', 400, 'since'],
    [() => `since=${ago(1)}&until=${ago(2)}`, 400, 'since'],
    [() => 'tenant_id=nobody', 400, 'tenant_id'],
    [() => 'suspicious_limit=-1', 400, 'suspicious_limit'],
    [() => 'range=1h', 400, 'range'],
    [() => `tenant_id=${fixture.cluster.id}`, 404, 'tenant'],
  ])('refuses %s', async (query, status, word) => {
    const response = await call(`/dashboard?${query()}`, { headers: fixture.admin });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(word)]);
  });

  it('does not tell a tenant whether another one exists', async () => {
    const texts = await Promise.all(
      [fixture.theirs.tenant.id, '00000000-0000-7000-8000-000000000000'].map(async (id) => {
        const response = await call(`/dashboard?tenant_id=${id}`, { headers: fixture.ours.headers });
        const { request_id: _, ...problem } = (await response.json()) as Record<string, unknown>;
        return problem;
      }),
    );
    expect(texts[0]).toMatchObject({ status: 404 });
    expect(texts[0]).toEqual(texts[1]);
  });
});

it('takes as many queries for much as for little', async () => {
  // Whatever changed is read once more, and the inventory is looked at from time to time: the count settles.
  const expectFew = () =>
    expect.poll(async () => (await countQueries(() => fixture.read())).queries).toBeLessThanOrEqual(QUERIES);
  await expectFew();
  const project = await makeProject(await makeTenant());
  for (let i = 0; i < 20; i++) {
    const cluster = await makeCluster();
    const node = await makeNode(cluster, { fault: 'The node is offline.' });
    await makeWorkload(cluster, project, { status: 'running', node_id: node.id });
  }
  await fixture.report(
    0,
    Array.from({ length: 100 }, (_, i) => flow(`198.51.100.${100 + i}`, WEB, 22)),
  );
  await expectFew();
  expect((await fixture.read()).suspicious_summary.total).toBeGreaterThan(100);
});
