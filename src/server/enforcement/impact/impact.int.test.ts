import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApplyPendingResult } from '@/domain/deployments';
import type { Impact } from '@/domain/impact/impact';
import type { Policy } from '@/domain/policies';
import { sqlClient } from '@/server/db/client';
import * as jobs from '@/server/jobs/enqueue';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { sweepImpacts } from './request-impact';
import { runImpact } from './run-impact';

const enqueue = vi.spyOn(jobs, 'enqueue').mockResolvedValue();
const signal = new AbortController().signal;
const rule = (port: string, action = 'accept') => ({ action, protocol: 'tcp', destination_ports: [port] });
const definition = { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['vmid:103'] };
const window = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

let lab: PolicyLab;
let policy: Policy;

type Answer = { status: number; body: Impact & Record<string, unknown> };
const post = (path: string, body: object = {}, headers?: Record<string, string>) =>
  lab.json(path, { body, ...(headers && { headers }) }) as Promise<Answer>;
const get = (id: string, headers?: Record<string, string>) =>
  lab.json(`/impacts/${id}`, headers && { headers }) as Promise<Answer>;
const compute = async (body: object = {}) => {
  const { status, body: asked } = await post(`/policies/${policy.id}/impact`, { ...window, ...body });
  expect(status, JSON.stringify(asked)).toBeLessThan(300);
  await runImpact(asked.id, { signal });
  return (await get(asked.id)).body;
};
const apply = (body: object) => post(`/policies/${policy.id}/apply`, body);
const ports = (rows: Impact['difference'][number]['gained']) => rows.map((row) => row.ports);

beforeAll(async () => {
  lab = await makePolicyLab();
  policy = await lab.create({ definition: { ...definition, default_action: 'drop' }, rules: [rule('443')] });
  await lab.apply(policy);
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

describe('the impact of a change', () => {
  it('says which packets are gained and lost, and by which rule', async () => {
    const same = await compute();
    expect(same).toMatchObject({ status: 'done', progress: 1, workloads_total: 0, difference: [], outdated: false });
    const found = await compute({ rules: [rule('22')] });
    expect(found).toMatchObject({ status: 'done', workloads_total: 1, error: null, policy_id: policy.id });
    const [workload] = found.difference;
    expect(workload).toMatchObject({ workload_id: await lab.id(103), complete: true, unreadable: false });
    expect(ports(workload?.gained ?? [])).toEqual([['22']]);
    expect(ports(workload?.lost ?? [])).toEqual([['443']]);
    expect(workload?.gained[0]).toMatchObject({
      before: { kind: 'default', action: 'dropped' },
      after: { kind: 'rule', action: 'allowed', policy_id: policy.id },
    });
    expect(workload?.lost[0]).toMatchObject({ before: { kind: 'rule', policy_id: policy.id } });
  });

  it('reports for disabling and for audit mode what removing the policy leaves', async () => {
    for (const body of [{ enabled: false }, { definition: { ...definition, enforcement_mode: 'audit' } }]) {
      const found = await compute(body);
      const [workload] = found.difference;
      expect(workload?.lost).toEqual([]);
      expect(workload?.gained[0]).toMatchObject({ before: { action: 'dropped' }, after: { action: 'allowed' } });
    }
  });

  it('runs once for equal requests, and again after a failure', async () => {
    const body = { ...window, rules: [rule('8443')] };
    const first = await post(`/policies/${policy.id}/impact`, body);
    expect(first).toMatchObject({ status: 202, body: { status: 'running', progress: 0, traffic_visible: false } });
    expect((await post(`/policies/${policy.id}/impact`, body)).body.id).toBe(first.body.id);
    expect((await post(`/policies/${policy.id}/impact`, { ...body, until: '2026-01-03T00:00:00Z' })).body.id).not.toBe(
      first.body.id,
    );
    await runImpact(first.body.id, { signal });
    expect((await post(`/policies/${policy.id}/impact`, body)).body).toMatchObject({
      id: first.body.id,
      status: 'done',
    });
  });

  it('takes a draft, which no other tenant sees', async () => {
    const draft = { policy: { name: 'draft', definition, rules: [rule('8080')] }, ...window };
    const asked = await post('/policy-drafts/impact', draft);
    expect(asked).toMatchObject({ status: 202, body: { policy_id: null, policy_name: 'draft' } });
    expect((await post('/policy-drafts/impact', draft)).body.id).toBe(asked.body.id);
    await runImpact(asked.body.id, { signal });
    expect((await get(asked.body.id)).body.difference).toMatchObject([{ gained: [{ ports: ['8080'] }] }]);
    const other = await bearer(await makeUser('security_engineer', await makeTenant()));
    expect((await get(asked.body.id, other)).status).toBe(404);
    expect((await lab.json(`/impacts/${asked.body.id}/conversations`, { headers: other })).status).toBe(404);
  });

  it('computes the same change again over another window, for readers who see it only', async () => {
    const asked = await post('/policy-drafts/impact', {
      policy: { name: 'again', definition, rules: [rule('7000')] },
      ...window,
    });
    const again = await post(`/impacts/${asked.body.id}/again`, { ...window, until: '2026-01-05T00:00:00Z' });
    expect(again).toMatchObject({ status: 202, body: { policy_id: null, policy_name: 'again', status: 'running' } });
    expect(again.body.id).not.toBe(asked.body.id);
    expect(again.body.window.until).toBe('2026-01-05T00:00:00.000Z');
    await runImpact(again.body.id, { signal });
    expect((await get(again.body.id)).body.difference).toMatchObject([{ gained: [{ ports: ['7000'] }] }]);
    const other = await bearer(await makeUser('security_engineer', await makeTenant()));
    expect((await post(`/impacts/${asked.body.id}/again`, {}, other)).status).toBe(404);
  });

  it('moves to another worker when its worker is lost, and fails after three', async () => {
    const { body } = await post(`/policies/${policy.id}/impact`, { ...window, rules: [rule('9000')] });
    const lose = (attempts: number) => sqlClient()`update impacts set status = 'running', attempts = ${attempts},
      lease_owner = gen_random_uuid(), lease_at = now() - interval '1 minute' where id = ${body.id}`;
    await lose(1);
    enqueue.mockClear();
    await sweepImpacts();
    expect(enqueue).toHaveBeenCalledWith(expect.objectContaining({ name: 'impact.compute' }), { impact_id: body.id });
    await lose(3);
    await sweepImpacts();
    expect((await get(body.id)).body).toMatchObject({ status: 'failed', error: expect.stringContaining('crashed') });
    const again = await post(`/policies/${policy.id}/impact`, { ...window, rules: [rule('9000')] });
    expect(again.body.id).not.toBe(body.id);
  });

  it('waits while ten for the same readers are computed, which keeps no one else waiting', async () => {
    await sqlClient()`delete from impacts where status in ('queued', 'running')`;
    const as = async (role: 'viewer' | 'security_engineer') => {
      const tenant = await makeTenant();
      const headers = await bearer(await makeUser(role, tenant));
      const writer = await bearer(await makeUser('security_engineer', tenant));
      const { body } = await post(
        '/policies',
        { name: 'own', definition: { ...definition, targets: ['any'] } },
        writer,
      );
      return { id: body.id, headers };
    };
    const [ours, theirs] = [await as('viewer'), await as('security_engineer')];
    const ask = ({ id, headers }: typeof ours, hour: number) =>
      post(
        `/policies/${id}/impact`,
        { ...window, since: `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z` },
        headers,
      );
    const asked = await Promise.all(Array.from({ length: 12 }, (_, hour) => ask(ours, hour)));
    const kept = asked.filter(({ status }) => status === 202);
    expect(kept).toHaveLength(10);
    const refused = asked.filter(({ status }) => status !== 202);
    for (const { status, body } of refused) {
      expect([status, body]).toMatchObject([422, { detail: expect.stringContaining('Wait until one is done') }]);
    }
    // The same question has the same impact, and others are not affected.
    const same = asked.findIndex(({ status }) => status === 202);
    expect((await ask(ours, same)).body.id).toBe(asked[same]?.body.id);
    expect((await ask(theirs, 1)).status).toBe(202);
    expect((await post(`/policies/${policy.id}/impact`, window)).status).toBeLessThan(300);
    await runImpact(kept[0]?.body.id ?? '', { signal });
    expect((await ask(ours, 12)).status).toBe(202);
    await sqlClient()`delete from impacts where status in ('queued', 'running')`;
  });

  it('refuses an empty window', async () => {
    const { status, body } = await post(`/policies/${policy.id}/impact`, { since: window.until, until: window.since });
    expect([status, body]).toMatchObject([400, { errors: [{ field: 'since' }] }]);
  });
});

describe('an apply that names an impact', () => {
  it('returns an error while the impact is not done, belongs to another change, or blocks more than acknowledged', async () => {
    const asked = await post(`/policies/${policy.id}/impact`, { ...window, since: '2026-01-01T01:00:00Z' });
    const impact_id = asked.body.id;
    expect(await apply({ impact_id })).toMatchObject({ status: 409, body: { reason: 'impact_not_done' } });
    await runImpact(impact_id, { signal });
    const other = await compute({ rules: [rule('22')] });
    expect(await apply({ impact_id: other.id })).toMatchObject({
      status: 409,
      body: { reason: 'impact_of_another_change', applied: false },
    });
    await sqlClient()`update impacts set totals = coalesce(totals, '{}') || '{"newly_blocked": 3}' where id = ${impact_id}`;
    for (const body of [{ impact_id }, { impact_id, acknowledge_newly_blocked: 2 }]) {
      expect(await apply(body)).toMatchObject({
        status: 409,
        body: { reason: 'impact_not_acknowledged', newly_blocked: 3 },
      });
    }
    expect((await apply({ impact_id, acknowledge_newly_blocked: 3 })).status).toBe(202);
    const [record] = await sqlClient()`select after from audit_records where action = 'policy.apply_requested'
      and object_id = ${policy.id} order by seq desc limit 1`;
    expect(record?.after).toMatchObject({ impact: { impact_id, newly_blocked: 3 } });
    const [row] = await sqlClient()`select acknowledged_at from impacts where id = ${impact_id}`;
    expect(row?.acknowledged_at).not.toBeNull();
  });

  it('returns an error when the live state changed since', async () => {
    const { id } = await compute({ since: '2026-01-01T02:00:00Z' });
    await sqlClient()`update guest_firewall_snapshots set state = jsonb_set(state, '{options,dhcp}', '0'),
      state_hash = 'edited' where workload_id = ${await lab.id(103)}`;
    expect((await get(id)).body.outdated).toBe(true);
    expect(await apply({ impact_id: id })).toMatchObject({ status: 409, body: { reason: 'impact_outdated' } });
  });

  it('lets pending policies wait whose impact is not acknowledged, and records those that are', async () => {
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { rules: [rule('8081')] } });
    const { id: impact_id } = await compute({ since: '2026-01-01T03:00:00Z' });
    await sqlClient()`update impacts set totals = coalesce(totals, '{}') || '{"newly_blocked": 2}' where id = ${impact_id}`;
    const applyPending = async (acknowledged: object) => {
      const impacts = [{ policy_id: policy.id, impact_id, ...acknowledged }];
      const { body } = await lab.json('/policies/apply-pending', { body: { impacts } });
      return (body as ApplyPendingResult).operations.find(({ policy_id }) => policy_id === policy.id);
    };
    expect(await applyPending({})).toMatchObject({
      deployment_ids: [],
      message: expect.stringContaining('acknowledge_newly_blocked to 2'),
    });
    expect((await applyPending({ acknowledge_newly_blocked: 2 }))?.deployment_ids).toHaveLength(1);
    const [record] = await sqlClient()`select after from audit_records where action = 'policy.apply_requested'
      and object_id = ${policy.id} order by seq desc limit 1`;
    expect(record?.after).toMatchObject({ trigger: 'apply_pending', impact: { impact_id, newly_blocked: 2 } });
  });
});
