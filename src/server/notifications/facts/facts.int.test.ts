import { afterAll, beforeAll, expect, it } from 'vitest';
import { SHARED_TITLE } from '@/domain/change/change';
import { parseIp } from '@/domain/net/ip-address';
import { CONDITIONS, type Condition, type Fact } from '@/domain/notifications/condition';
import type { TenantReach } from '@/domain/permissions';
import { sqlClient } from '@/server/db/client';
import { makePolicyLab, type PolicyLab } from '@/server/enforcement/policies/testing/policy-lab.fixture';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { watchAgents } from '@/server/traffic/agents/agents';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { addressBook } from '@/server/traffic/flows/address-book';
import { countQueries } from '@/test/count-queries';
import { makeAgent, makeCluster, makeNode, makeTwoTenants } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { collectFindings } from './collect-findings';

const sql = sqlClient();
const collectFacts = async (condition: Condition, reach: TenantReach = 'all') =>
  (await collectFindings(reach, [condition])).facts;
const listObjectNames = (facts: readonly Fact[]) => facts.map(({ object_name }) => object_name).sort();

it('finds clusters whose last sync failed, also while the next one runs', async () => {
  const cluster = await makeCluster({ name: 'munich' });
  await makeCluster({ name: 'never synced' });
  await makeCluster({ name: 'first sync', sync_status: 'running' });
  expect(await collectFacts('sync_failed')).toEqual([]);
  await sql`update clusters set sync_status = 'failed', last_sync_error = 'No answer. Check it.' where id = ${cluster.id}`;
  const failed = await collectFacts('sync_failed');
  expect(failed).toMatchObject([{ key: cluster.id, object_name: 'munich', detail: 'No answer. Check it.' }]);
  for (const status of ['queued', 'running']) {
    await sql`update clusters set sync_status = ${status} where id = ${cluster.id}`;
    expect(await collectFacts('sync_failed')).toEqual(failed);
  }
  await sql`update clusters set sync_status = 'ok', last_sync_error = null where id = ${cluster.id}`;
  expect(await collectFacts('sync_failed')).toEqual([]);
});

it('finds stale agents, and not those that never reported or whose node is gone', async () => {
  const time = fakeClock();
  try {
    const cluster = await makeCluster();
    const [spoke, never, gone] = [
      await makeNode(cluster, { name: 'spoke' }),
      await makeNode(cluster),
      await makeNode(cluster),
    ];
    const headers = await makeAgent(spoke);
    await makeAgent(never);
    const goneHeaders = await makeAgent(gone);
    for (const one of [headers, goneHeaders]) {
      const body = makeHeartbeat([], { sent_at: clock.now().toISOString(), machine_id: newId().replaceAll('-', '') });
      expect((await call('/agents/heartbeat', { headers: one, body })).status).toBe(200);
    }
    await sql`update nodes set missing_since = now() where id = ${gone.id}`;
    await watchAgents();
    expect(await collectFacts('agent_silent')).toEqual([]);
    time.advance(3600);
    await watchAgents();
    expect(await collectFacts('agent_silent')).toMatchObject([
      { key: spoke.id, object_kind: 'agent', object_name: 'spoke' },
    ]);
  } finally {
    time.restore();
  }
});

it('finds conflicts, and names no workload that is not visible', async () => {
  const { cluster, ours, theirs } = await makeTwoTenants('viewer');
  await sql`update workloads set name = 'our-guest' where id = ${ours.workload.id}`;
  await sql`update workloads set name = 'their-guest' where id = ${theirs.workload.id}`;
  const id = newId();
  await sql`insert into ipam_conflicts (id, cluster_id, kind, key, address, workload_id, other_workload_id)
    values (${id}, ${cluster.id}, 'duplicate_address', 'k', '10.0.0.1', ${ours.workload.id}, ${theirs.workload.id})`;
  const [all] = await collectFacts('address_conflict');
  expect(all?.detail).toBe('10.0.0.1 is used by our-guest and by their-guest.');
  const [our] = await collectFacts('address_conflict', [ours.tenant.id]);
  expect(our).toMatchObject({ key: id, detail: '10.0.0.1 is used by our-guest and by another workload.' });
  const [their] = await collectFacts('address_conflict', [theirs.tenant.id]);
  expect(their?.detail).toBe('10.0.0.1 is used by another workload and by their-guest.');
  expect(await collectFacts('address_conflict', [newId()])).toEqual([]);
  await sql`update ipam_conflicts set status = 'gone' where id = ${id}`;
  expect(await collectFacts('address_conflict')).toEqual([]);
});

it('finds changes that wait for approval, were applied without it, or are not completely rolled back', async () => {
  const { ours, theirs } = await makeTwoTenants('viewer');
  type Values = { state: string; reason?: string; problem?: string; hours?: number };
  const make = async (title: string, { state, reason, problem, hours = 0 }: Values, ...owners: { id: string }[]) => {
    const id = newId();
    const problems = problem ? [{ code: problem, message: 'web1 (100)', remedy: null }] : [];
    const ended = new Date(Date.now() - hours * 3_600_000).toISOString();
    await sql`insert into changes (id, title, state, items, content_hash, confirm_within_seconds, waves, on_failure, rollback_on_failed_check,
        created_by_name, break_glass_reason, problems, applied_at, confirm_until, finished_at)
      values (${id}, ${title}, ${state}, '[]', 'x', 0, '{}', 'stop', false, 'ann', ${reason ?? null}, ${JSON.stringify(problems)}::text::jsonb, now(), now(), ${ended})`;
    for (const owner of owners)
      await sql`insert into change_owners (id, change_id, tenant_id) values (${newId()}, ${id}, ${owner.id})`;
  };
  await make('waiting', { state: 'in_review' }, ours.tenant, theirs.tenant);
  await make('forced', { state: 'applying', reason: 'outage' }, ours.tenant);
  await make('draft', { state: 'draft' }, ours.tenant);
  await make('stuck', { state: 'rolling_back', problem: 'rollback_waiting' }, ours.tenant);
  await make('returning', { state: 'rolling_back' }, ours.tenant);
  await make('left', { state: 'rolled_back', problem: 'rollback_incomplete', hours: 23 }, theirs.tenant, ours.tenant);
  await make('left long ago', { state: 'rolled_back', problem: 'rollback_incomplete', hours: 25 }, ours.tenant);
  await make('confirmed', { state: 'confirmed', problem: 'workloads_failed' }, ours.tenant);
  const find = async (condition: Condition, reach: TenantReach) =>
    listObjectNames(await collectFacts(condition, reach));
  const both = [ours.tenant.id, theirs.tenant.id];
  expect(await find('change_in_review', both)).toEqual(['waiting']);
  expect(await find('change_in_review', [theirs.tenant.id])).toEqual([SHARED_TITLE]);
  expect(await find('change_break_glass', [ours.tenant.id])).toEqual(['forced']);
  expect(await find('change_break_glass', [theirs.tenant.id])).toEqual([]);
  expect(await find('change_rollback_incomplete', both)).toEqual(['left', 'stuck']);
  expect(await find('change_rollback_incomplete', [theirs.tenant.id])).toEqual([SHARED_TITLE]);
  expect(await find('change_rollback_incomplete', [newId()])).toEqual([]);
});

it('says what it could not look at, and looks at the rest', async () => {
  const none = async () => ({ facts: [] });
  const collectors = {
    sync_failed: none,
    agent_silent: none,
    agent_reports_refused: none,
    agent_token_replaced: none,
    policy_drifted: async () => ({ facts: [], unknown: ['p1'] }),
    policy_expiring: none,
    recertification_due: none,
    policy_test_failing: none,
    change_in_review: none,
    change_break_glass: none,
    change_rollback_incomplete: none,
    residual_rules: none,
    node_firewall_not_compiling: none,
    suspicious_traffic_critical: () => Promise.reject(new Error('no board')),
    traffic_escaped: none,
    address_conflict: async () => ({ facts: [], incomplete: true }),
    workload_traffic_high: none,
    cluster_traffic_high: none,
    drops_high: none,
    new_external_service: none,
    coverage_low: none,
  };
  const findings = await collectFindings('all', CONDITIONS, collectors);
  expect([...findings.unreadable]).toEqual(['suspicious_traffic_critical', 'address_conflict']);
  expect([...findings.unknown]).toEqual(['policy_drifted p1']);
});

it('finds critical traffic by its destination, for the tenant that it concerns', async () => {
  const { cluster, ours, theirs } = await makeTwoTenants('viewer');
  const node = await makeNode(cluster);
  const agent = await makeAgent(node);
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (${newId()}, ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (${newId()}, ${cluster.id}, ${network?.id}, '10.9.0.0/16', 'manual') returning id`;
  for (const [address, { workload }] of [
    ['10.9.0.1', ours],
    ['10.9.0.2', theirs],
  ] as const) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (${newId()}, ${cluster.id}, ${network?.id}, ${subnet?.id}, ${address}, ${workload.id}, 'manual')`;
  }
  // The process looks at the inventory again after two seconds at most.
  const known = async () => {
    const ip = parseIp('10.9.0.1');
    return ip && (await addressBook()).subnetOf(ip);
  };
  await expect.poll(known).toBe('10.9.0.0/16');
  const flow = (source_ip: string, destination_ip: string, destination_port: number) =>
    makeFlow({ source_ip, destination_ip, destination_port, initiator: 'source' });
  const before = fakeClock();
  before.advance(-3 * 86_400);
  try {
    const old = { ...flow('203.0.113.8', '10.9.0.1', 443), observed_at: clock.now().toISOString() };
    const body = makeHeartbeat([old], { sent_at: clock.now().toISOString() });
    expect(await (await call('/agents/heartbeat', { headers: agent, body })).json()).toMatchObject({ rejected: [] });
  } finally {
    before.restore();
  }
  const flows = [
    { ...flow('203.0.113.9', '10.9.0.1', 8080), decision: 'drop' },
    flow('203.0.113.8', '10.9.0.1', 443),
    flow('203.0.113.1', '10.9.0.1', 3389),
    flow('203.0.113.2', '10.9.0.1', 3389),
    flow('203.0.113.3', '10.9.0.1', 3389),
    // Not critical: SSH is high only. Not from outside.
    flow('203.0.113.1', '10.9.0.1', 22),
    flow('10.9.0.7', '10.9.0.1', 3389),
    flow('203.0.113.1', '10.9.0.2', 5432),
  ];
  const response = await call('/agents/heartbeat', { headers: agent, body: makeHeartbeat(flows, { sequence: 1 }) });
  expect(await response.json()).toMatchObject({ rejected: [] });
  expect(listObjectNames(await collectFacts('suspicious_traffic_critical'))).toEqual(
    [ours.workload.name, theirs.workload.name].sort(),
  );
  const own = await collectFacts('suspicious_traffic_critical', [ours.tenant.id]);
  expect(own).toMatchObject([{ object_kind: 'workload', object_id: ours.workload.id }]);
  expect(own[0]?.detail).toBe('rdp (tcp 3389) on 10.9.0.1 is reached from outside, from 203.0.113.1 and 2 more.');
  expect(await collectFacts('suspicious_traffic_critical', [newId()])).toEqual([]);
  const services = async (reach: TenantReach) =>
    (await collectFacts('new_external_service', reach)).map(({ detail }) => detail.split(' on ')[0]).sort();
  // Known for three days: 443. Dropped: 8080. From inside: the other connection to 3389.
  expect(await services([ours.tenant.id])).toEqual(['tcp 22', 'tcp 3389']);
  expect(await services('all')).toEqual(['tcp 22', 'tcp 3389', 'tcp 5432']);
  const time = fakeClock();
  try {
    time.advance(7 * 60);
    const bytes = await collectFacts('workload_traffic_high');
    expect(listObjectNames(bytes)).toEqual([ours.workload.name, theirs.workload.name].sort());
    // Six flows of 1000 bytes in ten minutes; what the connection of three days ago carried since is nothing.
    const [own] = await collectFacts('workload_traffic_high', [ours.tenant.id]);
    expect(own).toMatchObject({ key: ours.workload.id, measure: expect.closeTo((6 * 8000) / 1e6 / 600, 9) });
    expect(await collectFacts('cluster_traffic_high')).toMatchObject([
      { key: cluster.id, measure: expect.closeTo((7 * 8000) / 1e6 / 600, 9) },
    ]);
    expect(await collectFacts('drops_high')).toMatchObject([
      { key: ours.workload.id, measure: expect.closeTo(0.1, 9) },
    ]);
    expect(await collectFacts('drops_high', [theirs.tenant.id])).toEqual([]);
    time.advance(20 * 60);
    expect(await collectFacts('suspicious_traffic_critical')).toEqual([]);
  } finally {
    time.restore();
  }
});

let lab: PolicyLab;
beforeAll(async () => {
  lab = await makePolicyLab();
}, 60_000);
afterAll(() => lab.close());

it('finds policies that were changed on the cluster, not those that only wait to be applied', async () => {
  const policy = await lab.create({
    definition: { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['vmid:103'] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  });
  const drifted = async () => (await collectFacts('policy_drifted')).filter(({ key }) => key === policy.id);
  expect(await drifted()).toEqual([]);
  await lab.apply(policy);
  await lab.fresh(policy.id);
  expect(await drifted()).toEqual([]);
  const file = lab.control.firewall.guestFile(103) ?? '';
  lab.control.firewall.setFile('firewall/103.fw', file.replace('-dport 22', '-dport 23'));
  await lab.fresh(policy.id);
  const [found] = await drifted();
  expect(found).toMatchObject({ object_kind: 'policy', object_name: policy.name, detail: 'A live rule was edited.' });
  expect(await collectFacts('policy_drifted', [newId()])).toEqual([]);
});

it('evaluates measures with a number of queries that does not depend on the workloads', async () => {
  const measures = [
    'workload_traffic_high',
    'cluster_traffic_high',
    'drops_high',
    'new_external_service',
    'coverage_low',
  ];
  const count = async () => {
    const counted: number[] = [];
    for (const condition of measures as Condition[])
      counted.push((await countQueries(() => collectFacts(condition))).queries);
    return counted;
  };
  await count();
  const few = await count();
  const { cluster } = await makeTwoTenants('viewer');
  const node = await makeNode(cluster);
  const agent = await makeAgent(node);
  const flows = Array.from({ length: 40 }, (_, i) =>
    makeFlow({ source_ip: `203.0.113.${i}`, destination_ip: '10.9.0.1' }),
  );
  await call('/agents/heartbeat', { headers: agent, body: makeHeartbeat(flows) });
  await count();
  expect(await count()).toEqual(few);
  expect(Math.max(...few)).toBeLessThanOrEqual(20);
});
