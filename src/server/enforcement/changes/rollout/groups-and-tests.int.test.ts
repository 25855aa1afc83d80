import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import type { SecurityGroup, SecurityGroupMember } from '@/domain/security-group';
import {
  apply,
  at,
  create,
  DEFINITION,
  get,
  lab,
  post,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { assignAddresses } from '@/server/enforcement/policy-tests/testing/addresses.fixture';
import { drive, readLive } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

type Refusal = { errors?: { field: string }[]; reason?: string };

/** Everything that the edits below concern, without ids, versions and times. */
async function readContent() {
  const groups = (await get<{ items: SecurityGroup[] }>('/security-groups')).items;
  const members = async ({ id, name, description }: SecurityGroup) => {
    const { items } = await get<{ items: SecurityGroupMember[] }>(`/security-groups/${id}/members`);
    return [name, description, items.map(({ vmid }) => vmid).sort()];
  };
  const tests = (await get<{ items: PolicyTest[] }>('/policy-tests')).items;
  const policies = (await get<{ items: { name: string; enabled: boolean }[] }>('/policies')).items;
  return {
    groups: await Promise.all(groups.map(members)),
    tests: tests.map(({ name, expect, ports, to }) => [name, expect, ports, to]),
    policies: policies.map(({ name, enabled }) => [name, enabled]),
    live: [100, 101].map(readLive),
  };
}

const group = async (name: string, vmids: number[]) => {
  const workload_ids = await Promise.all(vmids.map((vmid) => lab.id(vmid)));
  return (await post<SecurityGroup>('/security-groups', { name, workload_ids })).body;
};

it('edits and deletes groups and policy tests with the policies that name them, and a rollback restores all of it', async () => {
  const [old, kept] = [await group('old', [100, 101]), await group('kept', [100])];
  const policy = await create({ name: 'names-old', definition: { ...DEFINITION, targets: ['sg:old'] } });
  await apply(policy);
  const test = { expect: 'deny', protocol: 'tcp', ports: ['9'], from: ['192.0.2.1'], to: [at(100)] };
  const [edited, gone] = await Promise.all(
    ['edited', 'gone'].map(async (name) => (await post<PolicyTest>('/policy-tests', { ...test, name })).body),
  );
  const before = await readContent();
  const items = [
    { kind: 'policy_delete', policy_id: policy.id },
    { kind: 'group_delete', group_id: old.id },
    { kind: 'group', group_id: kept.id, group: { name: 'kept', description: 'still here' } },
    { kind: 'group_members', group_id: kept.id, add: [await lab.id(101)], remove: [await lab.id(100)] },
    { kind: 'group', group: { name: 'new', workload_ids: [await lab.id(102)] } },
    { kind: 'policy_test', policy_test_id: edited?.id, test: { ...test, name: 'edited', ports: ['10'] } },
    { kind: 'policy_test_delete', policy_test_id: gone?.id },
    { kind: 'policy_test', test: { ...test, name: 'added' } },
  ];
  const { status, body } = await post<Change>('/changes', { title: 'clean up', items });
  expect([status, body.items.map(({ kind }) => kind)]).toEqual([201, items.map(({ kind }) => kind)]);
  await post(`/changes/${body.id}/submit`);
  expect((await post(`/changes/${body.id}/apply`)).status).toBe(202);
  expect(await drive(body.id)).toBe('awaiting_confirmation');
  expect(await readContent()).toMatchObject({
    groups: [
      ['kept', 'still here', [101]],
      ['new', '', [102]],
    ],
    tests: [
      ['added', 'deny', ['9'], [at(100)]],
      ['edited', 'deny', ['10'], [at(100)]],
    ],
    policies: [],
  });
  expect((await post(`/changes/${body.id}/roll-back`)).status).toBe(202);
  expect(await drive(body.id)).toBe('rolled_back');
  expect(await readContent()).toEqual(before);
});

describe.each(['rolled back', 'reverted'])('members of groups when a change is %s', (how) => {
  it('returns those that the change removed, and keeps those that others added or removed', async () => {
    const [deleted, edited] = [await group(`deleted ${how}`, [100]), await group(`edited ${how}`, [100, 200])];
    const ids = async (...vmids: number[]) => Promise.all(vmids.map((vmid) => lab.id(vmid)));
    const readMembers = async () =>
      (await readContent()).groups.flatMap(([name, _, vmids]) => (`${name}`.endsWith(how) ? [vmids] : []));
    const change = async (id: string, add: number[], remove: number[]) =>
      lab.json(`/security-groups/${id}/members`, {
        method: 'PATCH',
        body: { add: await ids(...add), remove: await ids(...remove) },
      });
    const items = [
      { kind: 'group_delete', group_id: deleted.id },
      { kind: 'group_members', group_id: edited.id, add: await ids(101, 102), remove: await ids(100, 200) },
    ];
    const { body } = await post<Change>('/changes', { title: 'members', items });
    // Meant by others as well, and once only by them.
    await change(deleted.id, [101], []);
    await change(edited.id, [101], [100]);
    const before = await readMembers();
    expect(before).toEqual([
      [100, 101],
      [101, 200],
    ]);
    await post(`/changes/${body.id}/submit`);
    expect((await post(`/changes/${body.id}/apply`)).status).toBe(202);
    expect(await drive(body.id)).toBe('awaiting_confirmation');
    expect(await readMembers()).toEqual([[101, 102]]);
    if (how === 'rolled back') await post(`/changes/${body.id}/roll-back`);
    else {
      await post(`/changes/${body.id}/confirm`);
      const draft = (await post<Change>(`/changes/${body.id}/revert`)).body;
      await post(`/changes/${draft.id}/submit`);
      expect((await post(`/changes/${draft.id}/apply`)).status).toBe(202);
      expect(await drive(draft.id)).toBe('awaiting_confirmation');
      await post(`/changes/${draft.id}/confirm`);
    }
    await drive(body.id);
    expect(await readMembers()).toEqual(before);
    for (const { id } of (await get<{ items: SecurityGroup[] }>('/security-groups')).items) {
      await lab.json(`/security-groups/${id}`, { method: 'DELETE' });
    }
  });
});

it('refuses what a policy still names, a second edit of the same object, and an older version', async () => {
  const used = await group('used', [100]);
  await create({ name: 'names-used', definition: { ...DEFINITION, targets: ['sg:used'] } });
  const remove = { kind: 'group_delete', group_id: used.id };
  const { body } = await post<Change>('/changes', { title: 'remove', items: [remove] });
  await post(`/changes/${body.id}/submit`);
  const applied = await post<Refusal & { detail: string }>(`/changes/${body.id}/apply`);
  expect([applied.status, applied.body.detail]).toEqual([409, expect.stringContaining('is used by policies')]);
  const members = { kind: 'group_members', group_id: used.id, add: [await lab.id(101)] };
  const twice = await post<Refusal>('/changes', { title: 'twice', items: [remove, members] });
  expect([twice.status, twice.body.errors?.[0]?.field]).toEqual([422, 'items.1.kind']);
  const test = { name: 'a test', expect: 'deny', from: ['any'], to: [at(100)] };
  const { id } = (await post<PolicyTest>('/policy-tests', test)).body;
  const stale = { kind: 'policy_test', policy_test_id: id, base_version: 7, test };
  expect((await post('/changes', { title: 'stale', items: [stale] })).status).toBe(409);
});

it('decides whether tests hold by the tests that the change leaves', async () => {
  await assignAddresses(lab, { 100: '10.77.0.2' });
  const rules = [{ action: 'drop', protocol: 'tcp', destination_ports: ['22'] }];
  const policy = await create({ name: 'closes', definition: { ...DEFINITION, targets: [at(100)] }, rules });
  const test = { expect: 'allow', protocol: 'tcp', ports: ['22'], from: ['10.20.22.0/24'], to: [at(100)] };
  const items = [
    { kind: 'policy', policy_id: policy.id },
    { kind: 'policy_test', test: { ...test, name: 'stays open' } },
  ];
  const start = async (list: object[]) => {
    const { body } = await post<Change>('/changes', { title: 'apply', items: list });
    await post(`/changes/${body.id}/submit`);
    return post<Refusal & { failing_tests: PolicyTest[] }>(`/changes/${body.id}/apply`);
  };
  const refused = await start(items);
  expect([refused.status, refused.body.reason]).toEqual([409, 'policy_tests_failing']);
  expect(refused.body.failing_tests.map(({ name }) => name)).toEqual(['stays open']);
  const stored = (await post<PolicyTest>('/policy-tests', { ...test, name: 'stored' })).body;
  const withoutIt = [items[0] ?? {}, { kind: 'policy_test_delete', policy_test_id: stored.id }];
  expect((await start(withoutIt)).status).toBe(202);
});

it('keeps a group that a policy names since, and does not name the policy: not everyone who sees the change sees it', async () => {
  const items = [{ kind: 'group', group: { name: 'fresh', workload_ids: [await lab.id(102)] } }];
  const { id } = (await post<Change>('/changes', { title: 'a group', items })).body;
  await post(`/changes/${id}/submit`);
  expect((await post(`/changes/${id}/apply`)).status).toBe(202);
  expect(await drive(id)).toBe('awaiting_confirmation');
  const { name } = await create({ definition: { ...DEFINITION, targets: ['sg:fresh'] } });
  await post(`/changes/${id}/roll-back`, {});
  await drive(id);
  const { problems } = await get<Change>(`/changes/${id}`);
  expect(problems).toMatchObject([
    { code: 'rollback_incomplete', message: expect.stringContaining('policies use it') },
  ]);
  expect(JSON.stringify(problems)).not.toContain(name);
});
