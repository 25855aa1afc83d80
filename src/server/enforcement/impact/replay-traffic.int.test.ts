import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Impact } from '@/domain/impact/impact';
import { PolicyImpactInput } from '@/domain/impact/impact';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import type { Policy } from '@/domain/policies';
import { systemScope } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import * as jobs from '@/server/jobs/enqueue';
import { newId } from '@/server/lib/ids';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { addFormerPlacements, bearer, makeAgent, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { findImpact } from '../queries/impacts';
import { assertChangeAcknowledged, assertStillAcknowledged } from './apply-with-impact';
import { readImpact } from './read-impact';
import { requestPolicyImpact } from './request-impact';
import { runImpact } from './run-impact';

vi.spyOn(jobs, 'enqueue').mockResolvedValue();
const signal = new AbortController().signal;
const rule = (port: string, action = 'accept') => ({ action, protocol: 'tcp', destination_ports: [port] });
const definition = {
  ...{ enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['vmid:103'], default_action: 'drop' },
} as const;
/** Some minutes ago: in the window, and covered by the heartbeats that are there. */
const SEEN = new Date(Date.now() - 600_000).toISOString();
const ALL: ImpactReader = { policies: 'all', tests: 'all', flows: 'all' };

let lab: PolicyLab;
let policy: Policy;
let server: string;
let agent: Record<string, string>;

const seen = (source_ip: string, destination_port: number, bytes: number) =>
  makeFlow({
    ...{ source_ip, destination_ip: '10.77.0.103', destination_port, bytes, source_port: 33_000 + bytes },
    ...{ interface: 'tap103i0', vmid: 103, nic: 0, initiator: 'source', observed_at: SEEN },
  });
async function report(flows: ReturnType<typeof seen>[]): Promise<void> {
  const answer = await call('/agents/heartbeat', { method: 'POST', headers: agent, body: makeHeartbeat(flows) });
  expect(await answer.json()).toMatchObject({ accepted: flows.length });
}

type Answer = { status: number; body: Impact & Record<string, unknown> };
const post = (path: string, body: object = {}, headers?: Record<string, string>) =>
  lab.json(path, { body, ...(headers && { headers }) }) as Promise<Answer>;

/** The impact of a change to the policy. */
async function requestImpact(body: object = {}, headers?: Record<string, string>): Promise<Impact> {
  const { status, body: asked } = await post(`/policies/${policy.id}/impact`, body, headers);
  expect(status, JSON.stringify(asked)).toBeLessThan(300);
  await runImpact(asked.id, { signal });
  const { body: found } = (await lab.json(`/impacts/${asked.id}`, headers && { headers })) as Answer;
  expect(found).toMatchObject({ status: 'done', error: null });
  return found;
}

const summarizeConversations = ({ conversations }: Impact) =>
  conversations.items
    .map(({ outcome, client, port, bytes }) => `${outcome} ${client.workload?.name ?? client.prefix} ${port} ${bytes}`)
    .sort();

beforeAll(async () => {
  lab = await makePolicyLab();
  server = await lab.id(103);
  const client = await lab.id(100);
  const sql = sqlClient();
  const [network, subnet] = [newId(), newId()];
  await sql`insert into networks (id, cluster_id, name, kind, source) values (${network}, ${lab.cluster.id}, 'replay', 'manual', 'manual')`;
  await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (${subnet}, ${lab.cluster.id}, ${network}, '10.77.0.0/24', 'manual')`;
  for (const [id, address] of [
    [server, '10.77.0.103'],
    [client, '10.77.0.100'],
  ] as const) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (${newId()}, ${lab.cluster.id}, ${network}, ${subnet}, ${address}, ${id}, 'manual')`;
  }
  policy = await lab.create({ definition, rules: [rule('443'), rule('22')] });
  await lab.apply(policy);
  await lab.observe();
  const [node] = await sql<
    { id: string }[]
  >`select n.id from nodes n join workloads w on w.node_id = n.id where w.id = ${server}`;
  if (!node) throw new Error('the workload has no node');
  agent = await makeAgent(node);
  await addFormerPlacements(node, { id: server }, { id: client });
  const flows = [
    ...[seen('10.77.0.100', 443, 10), seen('10.77.0.100', 443, 11), seen('10.77.0.100', 22, 20)],
    ...[seen('10.9.0.1', 22, 30), seen('10.9.0.2', 22, 31), seen('203.0.113.5', 443, 40), seen('10.9.0.1', 8080, 50)],
  ];
  await report(flows);
}, 60_000);
afterAll(() => lab.close());

const CHANGE = { rules: [rule('443'), rule('8080')] };

describe('the replay of observed traffic', () => {
  it('says what a change does to each conversation, the most harmful first', async () => {
    const found = await requestImpact(CHANGE);
    expect(found.totals).toEqual({
      newly_blocked: 2,
      newly_allowed: 1,
      still_blocked: 1,
      still_allowed: 1,
      unknown: 0,
    });
    expect(found.conversations.items.map(({ outcome, port, bytes }) => [outcome, port, bytes])).toEqual([
      ['newly_blocked', 22, 61],
      ['newly_blocked', 22, 20],
      ['newly_allowed', 8080, 50],
      ['still_blocked', 443, 40],
      ['still_allowed', 443, 21],
    ]);
    const [many, one] = found.conversations.items;
    expect(many).toMatchObject({
      client: { workload: null, prefix: '10.9.0.0/24', addresses: 2 },
      server: { workload: { id: server }, prefix: '10.77.0.103', addresses: 1, internal: true },
      before: { kind: 'rule', action: 'allowed', policy_id: policy.id, workload_id: server },
      after: { kind: 'default', action: 'dropped', workload_id: server },
      flows: 2,
    });
    expect(one?.client.workload?.id).toBe(await lab.id(100));
    expect(found).toMatchObject({ traffic_visible: true, confidence: { items: [{ workload_id: server }] } });
  });

  it('finds the same in the totals per hour as in single flows', async () => {
    const since = new Date(Date.now() - 60 * 86_400_000).toISOString();
    const [flows, hours] = [await requestImpact(CHANGE), await requestImpact({ ...CHANGE, since })];
    expect([flows.window.source, hours.window.source]).toEqual(['flows', 'hours']);
    expect(hours.totals).toEqual(flows.totals);
    const sums = (impact: Impact) =>
      impact.conversations.items.map(({ outcome, port, bytes }) => `${outcome} ${port} ${bytes}`).sort();
    expect(sums(hours)).toEqual(sums(flows));
  });

  it('never looks clean without traffic, or without the permission to see it', async () => {
    const past = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
    const empty = await requestImpact({ ...CHANGE, ...past });
    expect(empty).toMatchObject({ traffic_visible: true, confidence: { level: 'none' }, totals: { still_allowed: 0 } });
    const reader = { ...ALL, flows: null };
    const input = PolicyImpactInput.parse(CHANGE);
    const scope = systemScope('policy:read', 'test');
    const { id } = await requestPolicyImpact(scope, reader, policy.id, input, { wait: false });
    await runImpact(id, { signal });
    expect(await readImpact(reader, id)).toMatchObject({
      ...{ status: 'done', traffic_visible: false, confidence: null, workloads_total: 1 },
      conversations: { items: [] },
    });
  });

  it('shows a tenant only its own ends and flows, and the rest as addresses', async () => {
    const tenant = await makeTenant();
    const project = await makeProject(tenant);
    const headers = await bearer(await makeUser('admin', tenant));
    await sqlClient()`update workloads set project_id = ${project.id} where id = ${server}`;
    const body = { policy: { name: 'theirs', definition, rules: [rule('8080')], tenant_id: tenant.id } };
    const ask = async (hours: number): Promise<Impact> => {
      const since = new Date(Date.now() - hours * 3_600_000).toISOString();
      const { body: asked } = await post('/policy-drafts/impact', { ...body, since }, headers);
      await runImpact(asked.id, { signal });
      return ((await lab.json(`/impacts/${asked.id}`, { headers })) as Answer).body;
    };
    const comes = (at: string | null) =>
      sqlClient()`update workload_owners set from_at = ${at} where workload_id = ${server} and tenant_id = ${tenant.id}`;
    // What was observed before the workload came to the tenant is not read.
    await comes(new Date(Date.now() - 1_000).toISOString());
    expect(await ask(2)).toMatchObject({ status: 'done', traffic_visible: true, conversations: { items: [] } });
    await comes(null);
    const shown = await ask(3);
    expect(shown.conversations.items.length).toBeGreaterThan(2);
    const clients = shown.conversations.items.map(({ client }) => client);
    expect(clients.filter(({ workload }) => workload !== null)).toEqual([]);
    expect(shown.conversations.items.every(({ server: end }) => end.tenant?.id === tenant.id)).toBe(true);
    await sqlClient()`update workloads set project_id = null where id = ${server}`;
  });

  it('says the same about a change with one policy, whose apply then waits for new clients only', async () => {
    const edited = { name: policy.name, definition, ...CHANGE };
    const items = [{ kind: 'policy', policy_id: policy.id, policy: edited }];
    const created = await lab.json('/changes', { body: { title: 'close ssh', items } });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const change: Change = created.body;
    const asked = (await lab.json(`/changes/${change.id}/impact`)) as Answer;
    expect(asked.status).toBe(202);
    await runImpact(asked.body.id, { signal });
    const found = (await lab.json(`/impacts/${asked.body.id}`)) as Answer;
    const single = await requestImpact(CHANGE);
    const own = { policy_id: null, change_id: change.id, policy_name: 'close ssh' };
    const { id, created_at, finished_at, window, confidence } = found.body;
    expect(found.body).toEqual({ ...single, ...own, id, created_at, finished_at, window, confidence });
    expect(single.totals.newly_blocked).toBe(2);

    const reader = (await findImpact(db, id))?.reader ?? ALL;
    const assertWith = (acknowledge_newly_blocked: number, of = change) =>
      assertChangeAcknowledged(of, { impact_id: id, acknowledge_newly_blocked }, reader, { applied: false });
    await expect(assertWith(1)).rejects.toMatchObject({ extra: { reason: 'impact_not_acknowledged' } });
    await expect(assertWith(2, { ...change, id: newId() })).rejects.toMatchObject({
      extra: { reason: 'impact_of_another_change' },
    });
    expect(await assertWith(2)).toEqual({ impact_id: id, newly_blocked: 2 });
    await report([seen('10.77.0.100', 22, 21), seen('10.77.0.100', 443, 12)]);
    expect(await assertWith(2)).toEqual({ impact_id: id, newly_blocked: 2 });
    await assertStillAcknowledged(id);
    await report([seen('10.9.0.3', 22, 33)]);
    await expect(assertWith(2)).rejects.toMatchObject({ extra: { reason: 'impact_outdated', appeared: 1 } });
    await expect(assertStillAcknowledged(id)).rejects.toMatchObject({ extra: { reason: 'impact_outdated' } });
    await sqlClient()`delete from traffic_flows where bytes in (21, 12, 33)`;
  });

  it('predicts what the rules do after the apply, which acknowledges what it newly blocks', async () => {
    const changed = (await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: CHANGE })) as { body: Policy };
    const { id: impact_id, conversations } = await requestImpact();
    const refused = await post(`/policies/${policy.id}/apply`, { impact_id });
    expect(refused).toMatchObject({ status: 409, body: { reason: 'impact_not_acknowledged', newly_blocked: 2 } });
    expect((await post(`/policies/${policy.id}/apply`, { impact_id, acknowledge_newly_blocked: 2 })).status).toBe(202);
    const [record] = await sqlClient()`select after from audit_records where action = 'policy.apply_requested'
      and object_id = ${policy.id} order by seq desc limit 1`;
    expect(record?.after).toMatchObject({ impact: { impact_id, newly_blocked: 2 } });
    await lab.apply(changed.body);
    await lab.observe();
    // Whatever is changed now: what is live before it is what the first change left.
    const now = await requestImpact({ rules: [rule('1')] });
    const actions = (impact: Pick<Impact, 'conversations'>, at: 'before' | 'after') =>
      impact.conversations.items
        .map(({ client, port, [at]: rules }) => `${client.prefix} ${port} ${rules?.action}`)
        .sort();
    expect(actions(now, 'before')).toEqual(actions({ conversations }, 'after'));
    expect(summarizeConversations(now).length).toBe(5);
  });
});
