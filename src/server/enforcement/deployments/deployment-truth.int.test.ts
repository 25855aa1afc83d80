import { describe, expect, it } from 'vitest';
import type { ApplyResult } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import type { CleanupPreview, PolicyPreview } from '@/domain/policy-preview';
import { drive } from '../changes/rollout/testing/rollout-lab.fixture';
import {
  apply,
  at,
  create,
  DEFINITION,
  get,
  lab,
  post,
  prepareDeploymentLab,
  readGuestResults,
  run,
  switches,
  waiting,
} from './testing/deployment-lab.fixture';

prepareDeploymentLab();

describe('a plain GET after a deployment', () => {
  it('tells the new state without another snapshot, after an apply and after a cleanup', async () => {
    const policy = await create();
    expect(await get(`/policies/${policy.id}`)).toMatchObject({
      deployment_status: 'stale',
      deployments: [{ reasons: expect.arrayContaining(['never_applied']) }],
    });
    const before = new Date().toISOString();
    await apply(policy);
    const applied = await get<Policy>(`/policies/${policy.id}`);
    expect(applied).toMatchObject({ deployment_status: 'active', deployments: [{ reasons: [] }] });
    expect(Date.parse(applied.deployments[0]?.read_at ?? '')).toBeGreaterThan(Date.parse(before) - 60_000);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    for (const id of await waiting(policy)) await run(id);
    expect(await get(`/policies/${policy.id}`)).toMatchObject({ deployment_status: null });
  });
});

describe('a firewall of the cluster that is off', () => {
  it('appears in the deployment, which then does not succeed', async () => {
    const file = lab.control.firewall.file('firewall/cluster.fw') ?? '';
    lab.control.firewall.setFile('firewall/cluster.fw', file.replace('enable: 1', 'enable: 0'));
    const policy = await create();
    const deployment = await apply(policy);
    expect(deployment).toMatchObject({ status: 'partial', problems: [{ code: 'cluster_firewall_off' }] });
    const { body } = await post<ApplyResult>(`/policies/${policy.id}/reconcile`);
    await run(body.clusters[0]?.deployment_id ?? '');
    const [again] = (await get<{ items: object[] }>(`/deployments?policy_id=${policy.id}`)).items;
    expect(again).toMatchObject({ trigger: 'reconcile', problems: [{ code: 'cluster_firewall_off' }] });
  });
});

describe('an apply where another policy drops by default', () => {
  it.each(['firewall', 'interface'] as const)(
    'turns the %s on again with that default, as its preview says',
    async (off) => {
      const definition = { ...DEFINITION, targets: [at(105)] };
      const dropping = await create({ definition: { ...definition, default_action: 'drop' } });
      const other = await create({ definition });
      await apply(dropping);
      const before = switches(105);
      const file = lab.control.firewall.guestFile(105) ?? '';
      if (off === 'firewall') lab.control.firewall.setFile('firewall/105.fw', file.replace('enable: 1', 'enable: 0'));
      const [, net0 = ''] = /^net0: (.*)$/m.exec(lab.control.guest(105).configText) ?? [];
      if (off === 'interface') lab.control.setConfig(105, { net0: net0.replace('firewall=1', 'firewall=0') });
      expect(switches(105)).not.toEqual(before);
      const { body } = await post<PolicyPreview>(`/policies/${other.id}/preview`, {});
      const [shown] = body.clusters.flatMap(({ guests }) => guests);
      const { id } = await apply(other);
      const [written] = await readGuestResults(id);
      expect(written).toMatchObject({ vmid: 105, status: 'ok', switches: shown?.option_changes });
      expect(switches(105)).toEqual(before);
      expect(await lab.fresh(dropping.id)).toMatchObject({ deployment_status: 'active' });
    },
  );
});

describe('a workload that left while its interface was locked', () => {
  async function leaveLocked(): Promise<Policy> {
    const policy = await create({ definition: { ...DEFINITION, targets: [at(100), at(110)] } });
    await apply(policy);
    const definition = { ...DEFINITION, targets: [at(100)] };
    const { body } = await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, definition } });
    lab.control.lockGuest(110, 'backup');
    expect(await apply(policy)).toMatchObject({ status: 'partial' });
    lab.control.lockGuest(110, undefined);
    return body;
  }
  const flag = [{ kind: 'nic_flag', name: 'net0', before: '1', after: '0' }];

  it('appears in the preview of the next apply, with what that writes there', async () => {
    const policy = await leaveLocked();
    const { body } = await post<PolicyPreview>(`/policies/${policy.id}/preview`, {});
    const shown = body.clusters.flatMap(({ guests }) => guests);
    expect(shown).toMatchObject([
      { vmid: 100, option_changes: [] },
      { vmid: 110, option_changes: flag },
    ]);
    const { id } = await apply(policy);
    const written = (await readGuestResults(id)).map(({ workload_id, switches: changed }) => [workload_id, changed]);
    expect(written).toEqual(shown.map(({ workload_id, option_changes }) => [workload_id, option_changes]));
  });

  it('returns to its former switches by a change with the fingerprints of the preview', async () => {
    const policy = await leaveLocked();
    const { body } = await post<PolicyPreview>(`/policies/${policy.id}/preview`, {});
    const shown = body.clusters.flatMap(({ guests }) => guests);
    const fingerprints = Object.fromEntries(shown.map(({ workload_id, fingerprint }) => [workload_id, fingerprint]));
    const asked = { policy_id: policy.id, base_version: policy.version, confirm_within_seconds: 0, fingerprints };
    const { status, body: change } = await post<{ id: string }>('/changes/apply-policy', asked);
    expect(status).toBe(202);
    expect(await drive(change.id)).toBe('confirmed');
    expect(switches(110).flags).toEqual([['net0', false]]);
  });

  it('appears in the preview of the removal', async () => {
    const policy = await leaveLocked();
    const preview = await get<CleanupPreview>(`/policies/${policy.id}/cleanup-preview`);
    const shown = preview.clusters.flatMap(({ guests }) => guests).find(({ vmid }) => vmid === 110);
    expect(shown).toMatchObject({ removed: 0, option_changes: flag });
  });
});

describe('a policy that was never applied', () => {
  it('shows as pending, not stale, in the list and on the dashboard', async () => {
    const policy = await create({ definition: { ...DEFINITION, targets: [at(110)] } });
    await lab.observe();
    const list = (filter: string) => get<{ items: Policy[] }>(`/policies?${filter}&limit=500`);
    const has = ({ items }: { items: Policy[] }) => items.some(({ id }) => id === policy.id);
    expect(has(await list('shown_status=pending'))).toBe(true);
    expect(has(await list('shown_status=stale'))).toBe(false);
    expect(has(await list('deployment_status=stale'))).toBe(true);
  });

  it('does not become partial when its cluster cannot be reached', async () => {
    const policy = await create();
    await lab.simulator.close();
    const fresh = await lab.fresh(policy.id);
    expect(fresh).toMatchObject({
      deployment_status: 'stale',
      deployments: [{ reasons: ['never_applied', 'unreadable'] }],
    });
  });
});

it('answers a malformed apply with the mode of the policy', async () => {
  const policy = await create();
  expect(await post(`/policies/${policy.id}/apply`, { dry_run: 'perhaps' })).toMatchObject({
    status: 400,
    body: { code: 'malformed', policy_mode: 'enforced', success: false, applied: false },
  });
});

it('previews what removing a policy does to the switches, and does that', async () => {
  const policy = await create({ definition: { ...DEFINITION, targets: [at(110)] } });
  const before = switches(110);
  expect(await get<CleanupPreview>(`/policies/${policy.id}/cleanup-preview`)).toMatchObject({ clusters: [] });
  await apply(policy);
  const shown = await get<CleanupPreview>(`/policies/${policy.id}/cleanup-preview`);
  expect(shown.clusters[0]?.guests).toMatchObject([
    {
      vmid: 110,
      removed: 2,
      notes: [],
      option_changes: expect.arrayContaining([{ kind: 'nic_flag', name: 'net0', before: '1', after: '0' }]),
    },
  ]);
  await lab.json(`/policies/${policy.id}`, { method: 'DELETE' });
  for (const id of await waiting(policy)) await run(id);
  expect(switches(110)).toEqual(before);
});
