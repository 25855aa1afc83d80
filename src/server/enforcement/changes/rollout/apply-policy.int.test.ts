import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import { newApiToken } from '@/server/access/account/api-tokens';
import { hashToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { apiTokens } from '@/server/db/schema/sign-in';
import {
  create,
  get,
  lab,
  lines,
  policyRuleLines,
  post,
  prepareDeploymentLab,
  RULES,
  readGuestResults,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { makeUser } from '@/test/factories';
import { drive, edit, makeChange, readLive, readRow, targets } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const listFingerprints = ({ clusters }: PolicyPreview) =>
  Object.fromEntries(
    clusters.flatMap(({ guests }) => guests.map(({ workload_id, fingerprint }) => [workload_id, fingerprint])),
  );
const preview = async (policy: Policy) =>
  listFingerprints((await post<PolicyPreview>(`/policies/${policy.id}/preview`)).body);
const applyAsChange = (policy: Policy, body: object = {}) =>
  post<Change & { reason?: string }>('/changes/apply-policy', { policy_id: policy.id, ...body });
const countChanges = async () => (await lab.sql`select id from changes`).length;
const listDeployments = async (id: string) =>
  (await get<{ items: { id: string; from_preview: boolean }[] }>(`/deployments?change_id=${id}`)).items;

describe('POST /changes/apply-policy', () => {
  it('writes what the preview showed, waits for its confirmation, and is rolled back exactly', async () => {
    const policy = await create(targets(100, 102));
    const before = [100, 102].map(readLive);
    const { status, body: change } = await applyAsChange(policy, {
      base_version: policy.version,
      fingerprints: await preview(policy),
      confirm_within_seconds: 300,
    });
    expect(status).toBe(202);
    expect(change).toMatchObject({
      ...{ title: `Apply ${policy.name}`, state: 'applying', confirm_within_seconds: 300 },
      transitions: [{ to: 'draft' }, { to: 'approved' }, { to: 'applying' }],
      rollout: [{ kind: 'rest', workloads_total: 2 }],
    });
    expect(await drive(change.id)).toBe('awaiting_confirmation');
    expect([100, 102].map((vmid) => policyRuleLines(vmid, policy).length)).toEqual([2, 2]);
    expect(await listDeployments(change.id)).toMatchObject([{ from_preview: true }]);
    const actions = await lab.sql<{ action: string }[]>`
      select action from audit_records where object_id = ${change.id} order by id`;
    expect(actions.map(({ action }) => action)).toEqual([
      ...['change.created', 'change.approved', 'change.applying', 'change.awaiting_confirmation'],
    ]);
    await post(`/changes/${change.id}/roll-back`);
    expect(await drive(change.id)).toBe('rolled_back');
    expect([100, 102].map(readLive)).toEqual(before);
  });

  it('refuses what was edited since the preview, and leaves no change behind', async () => {
    const policy = await create(targets(100, 102));
    const shown = await preview(policy);
    const known = await countChanges();
    lab.control.firewall.insertRule(102, 'IN ACCEPT -p tcp -dport 9100 -log nolog # by hand', 0);
    const { status, body } = await applyAsChange(policy, { fingerprints: shown });
    expect(status).toBe(409);
    expect(body).toMatchObject({ reason: 'preview_outdated', workload_ids: [await lab.id(102)], policy_id: policy.id });
    expect(await countChanges()).toBe(known);
    expect(policyRuleLines(100, policy)).toEqual([]);
  });

  it('skips a workload that is edited after the request, and stops', async () => {
    const policy = await create(targets(100, 102));
    const { body: change } = await applyAsChange(policy, { fingerprints: await preview(policy) });
    lab.control.firewall.insertRule(102, 'IN ACCEPT -p tcp -dport 9100 -log nolog # by hand', 0);
    const edited = lines(102);
    expect(await drive(change.id)).toBe('failed');
    expect(lines(102)).toEqual(edited);
    expect(policyRuleLines(100, policy)).toHaveLength(2);
    const [deployment] = await listDeployments(change.id);
    const results = await readGuestResults(deployment?.id ?? '');
    expect(results.map(({ status, reason }) => [status, reason])).toEqual([
      ['ok', null],
      ['skipped', 'changed_since_preview'],
    ]);
    const remedy = expect.stringContaining('Continue the change without this workload');
    expect(results[1]?.problems).toMatchObject([{ remedy }]);
  });

  it('confirms the change with the last write without a timer', async () => {
    const policy = await create(targets(100));
    const { body: change } = await applyAsChange(policy, { confirm_within_seconds: 0 });
    expect(await drive(change.id)).toBe('confirmed');
    expect(policyRuleLines(100, policy)).toHaveLength(2);
  });

  it('reverts to the version that was live before, or to a disabled policy where none was', async () => {
    const policy = await create(targets(100));
    const apply = async () => {
      const { body: change } = await applyAsChange(policy, { confirm_within_seconds: 0 });
      expect(await drive(change.id)).toBe('confirmed');
      return (await post<Change>(`/changes/${change.id}/revert`)).body;
    };
    const first = await apply();
    expect(first.items).toMatchObject([{ base_version: 1, after: { enabled: false, rules: [{}, {}] } }]);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { rules: [RULES[0]] } });
    const second = await apply();
    expect(second.items).toMatchObject([{ base_version: 2, after: { enabled: true, rules: [{}, {}] } }]);
  });

  it.each([
    ['in audit mode', { enforcement_mode: 'audit' }, 422],
    ['that resolves to no workload', { targets: ['tag:nothing-has-this'] }, 422],
  ])('refuses a policy %s without a trace', async (_, changes, expected) => {
    const { definition } = targets(100);
    const policy = await create({ definition: { ...definition, ...changes } });
    const known = await countChanges();
    const { status, body } = await applyAsChange(policy);
    expect(status).toBe(expected);
    expect(body).toMatchObject({ policy_id: policy.id, success: false });
    expect(await countChanges()).toBe(known);
  });

  it('returns the change to submit where approval is required, and the version where another one is stored', async () => {
    const policy = await create(targets(100));
    await lab.sql`insert into system_settings (key, value) values ('runtime', '{"change_approvals_required": 1}')
      on conflict (key) do update set value = excluded.value`;
    const known = await countChanges();
    const refused = await applyAsChange(policy);
    await lab.sql`delete from system_settings where key = 'runtime'`;
    expect(refused).toMatchObject({ status: 409, body: { reason: 'approval_required', change: { items: [{}] } } });
    expect(await applyAsChange(policy, { base_version: 7 })).toMatchObject({ status: 409, body: { version: 1 } });
    expect(await countChanges()).toBe(known);
  });

  it('requires the permission to apply, and none to edit', async () => {
    const policy = await create(targets(100));
    const user = await makeUser('security_engineer');
    const as = async (...permissions: string[]) => {
      const { token, prefix } = newApiToken();
      const stored = { user_id: user.id, name: permissions.join(), prefix, token_hash: hashToken(token), permissions };
      await db.insert(apiTokens).values({ ...stored, expires_at: '2999-01-01T00:00:00Z' });
      const headers = { authorization: `Bearer ${token}` };
      return (await lab.json('/changes/apply-policy', { body: { policy_id: policy.id }, headers })).status;
    };
    expect(await as('policy:read', 'policy:write')).toBe(403);
    expect(await as('policy:read', 'policy:apply')).toBe(202);
  });
});

describe('the fingerprint of a difference', () => {
  type Shown = { fingerprint: string | null; workloads: { workload_id: string }[] };
  const readDifference = (id: string) => get<Shown>(`/changes/${id}/difference?refresh=true`);
  const foreign = (vmid: number, port: number) =>
    lab.control.firewall.insertRule(vmid, `IN ACCEPT -p tcp -dport ${port} -log nolog # by hand`, 0);

  it('binds what several policies write to the same workloads', async () => {
    const policies = [await create({ ...targets(100, 102), priority: 200 }), await create(targets(100, 102))];
    const items = policies.map((policy) => edit(policy, { rules: policy.rules.slice(0, 1) }));
    const waves = { canaries: { by: 'workloads' as const, workload_ids: [await lab.id(100)] }, pause_seconds: null };
    const id = await makeChange(items, { waves });
    const shown = await readDifference(id);
    expect(shown.workloads).toHaveLength(2);
    expect(await get<Shown>(`/changes/${id}/difference`)).toEqual({ ...shown, fingerprint: null });

    foreign(102, 9101);
    const refused = await post<Change & { reason?: string }>(`/changes/${id}/apply`, {
      fingerprint: shown.fingerprint,
    });
    expect([refused.status, refused.body.reason]).toEqual([409, 'preview_outdated']);
    expect(await readRow(id)).toMatchObject({ state: 'approved', rollout: null });

    const { fingerprint } = await readDifference(id);
    expect(fingerprint).not.toBe(shown.fingerprint);
    expect((await post(`/changes/${id}/apply`, { fingerprint })).status).toBe(202);
    expect(await drive(id)).toBe('applying');
    expect(policies.map((policy) => policyRuleLines(100, policy).length)).toEqual([1, 1]);
    // While the change waits after its canaries.
    foreign(102, 9102);
    const edited = lines(102);
    await post(`/changes/${id}/continue`);
    expect(await drive(id)).toBe('failed');
    expect(lines(102)).toEqual(edited);
  });
});
