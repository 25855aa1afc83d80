import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Policy } from '@/domain/policies';
import type { SecurityGroup } from '@/domain/security-group';
import { drive } from '@/server/enforcement/changes/rollout/testing/rollout-lab.fixture';
import { get, lab, post } from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { bearer, makeUser } from '@/test/factories';
import { apply, exportTo, fill, plan, prepareRemoteLab, runIn, toPath, write } from './testing/remote-lab.fixture';

prepareRemoteLab();

const SOURCE = ['--source', 'https://git.test/rules', '--commit', 'abc123'];
const MANAGED = { source: 'https://git.test/rules', commit: 'abc123', commit_url: null };

type Listed = { id: string; name: string; version: number; managed_by: unknown };
const list = async <T = Listed>(path: string): Promise<T[]> => (await get<{ items: T[] }>(`/${path}?sort=name`)).items;
const listManaged = async () =>
  (await Promise.all(['policies', 'security-groups', 'policy-tests'].map((path) => list(path)))).flat();
const patch = (path: string, body: object, method = 'PATCH') =>
  lab.json(path, { method, body }) as Promise<{ status: number; body: { detail?: string } }>;
const refused = { status: 409, body: { reason: 'managed_as_code' } };

describe('objects that are managed as code', () => {
  it('marks what a file of the source names, and has nothing to change then', async () => {
    await fill();
    const text = await exportTo('all.yaml');
    expect((await plan('all.yaml', ...SOURCE)).out).toContain('managed_by: null → https://git.test/rules');
    expect(await apply('all.yaml', ...SOURCE)).toMatchObject({ status: 0, err: '' });
    expect((await listManaged()).map(({ managed_by }) => managed_by)).toEqual(Array(7).fill(MANAGED));
    expect(await plan('all.yaml', ...SOURCE.with(3, 'def456'))).toMatchObject({ status: 0 });
    expect(await plan('all.yaml')).toMatchObject({ status: 0 });
    expect(await exportTo('again.yaml')).toBe(text);

    await write('all.yaml', text.replace('name: platform test', 'name: another test'));
    const pipeline = { GITHUB_REPOSITORY: 'acme/rules', GITHUB_SHA: 'f00' };
    expect(await runIn(pipeline, 'plan', toPath('all.yaml'), '--no-replay')).toMatchObject({
      status: 1,
      err: expect.stringContaining('managed as code by https://git.test/rules'),
    });
    expect(await apply('all.yaml', ...SOURCE.with(3, 'def456'), '--prune')).toMatchObject({ status: 0 });
    const tests = await list('policy-tests');
    expect(tests.map(({ name, managed_by }) => [name, managed_by])).toEqual([
      ['another test', { ...MANAGED, commit: 'def456' }],
      ['of a tenant', MANAGED],
    ]);
  });

  it('refuses edits from elsewhere until objects are released', async () => {
    const { group } = await fill();
    const text = await exportTo('all.yaml');
    await apply('all.yaml', ...SOURCE);
    const policy = (await list<Policy>('policies')).find(({ name }) => name === 'platform');
    const [test] = await list('policy-tests');
    const workload_id = await lab.id(101);
    const items = [{ kind: 'policy_delete', policy_id: policy?.id }];
    const edits = [
      () => patch(`/policies/${policy?.id}`, { enabled: false }),
      () => patch(`/policies/${policy?.id}`, {}, 'DELETE'),
      () => patch(`/policies/${policy?.id}/rules`, { rule: { action: 'accept' } }, 'POST'),
      () => patch(`/security-groups/${group.id}`, { description: 'x' }),
      () => patch(`/security-groups/${group.id}/members`, { add: [], remove: [workload_id] }, 'PATCH'),
      () => patch(`/policy-tests/${test?.id}`, { reason: 'x' }),
      () => patch(`/policy-tests/${test?.id}`, {}, 'DELETE'),
      () => patch('/changes', { title: 'x', items }, 'POST'),
    ];
    for (const edit of edits) expect(await edit()).toMatchObject(refused);
    expect((await edits[0]?.())?.body.detail).toBe(
      'The policy platform is managed as code by https://git.test/rules. Edit it there and apply it, or release it first.',
    );
    // Applying it as it is stored is no edit.
    expect(await post(`/policies/${policy?.id}/apply`)).toMatchObject({ status: 202 });

    await write('all.yaml', text.replace('name: platform\n', 'name: platform\n    description: edited\n'));
    for (const options of [[], ['--source', 'another']]) {
      expect(await apply('all.yaml', ...options)).toMatchObject({
        status: 1,
        err: expect.stringMatching(
          /all\.yaml:\d+:\d+: policies\.\d\.name: This is managed as code by https:\/\/git\.test/,
        ),
      });
    }
    await write('empty.yaml', 'version: 1\n');
    expect(await plan('empty.yaml', '--prune')).toMatchObject({ status: 0 });
    const headers = await bearer(await makeUser('viewer'));
    const paths = [`/policies/${policy?.id}`, `/security-groups/${group.id}`, `/policy-tests/${test?.id}`];
    for (const path of paths) {
      expect((await lab.json(`${path}/release`, { method: 'POST', headers })).status).toBe(403);
      expect(await post(`${path}/release`)).toMatchObject({ status: 200, body: { managed_by: null } });
    }
    expect(await patch(`/policies/${policy?.id}`, { description: 'mine' })).toMatchObject({ status: 200 });
    expect(await patch(`/security-groups/${group.id}`, { description: 'x' })).toMatchObject({ status: 200 });
    expect(await patch(`/policy-tests/${test?.id}`, { reason: 'x' })).toMatchObject({ status: 200 });
    const { items: audit } = await get<{ items: { action: string }[] }>('/audit?object_kind=security_group');
    expect(audit.map(({ action }) => action).slice(0, 2)).toEqual([
      'security_group.updated',
      'security_group.released',
    ]);
    // The next apply takes it back.
    expect((await plan('empty.yaml', '--prune', ...SOURCE)).out).toContain('4 to delete');
    expect(await apply('all.yaml', ...SOURCE)).toMatchObject({ status: 0, err: '' });
    expect((await get<SecurityGroup>(`/security-groups/${group.id}`)).managed_by).toMatchObject({ commit: 'abc123' });
  });

  it('restores what managed objects with a rollback of the change that took them over', async () => {
    await fill();
    const text = await exportTo('all.yaml');
    await write('all.yaml', text.replace('name: platform test', 'name: new test'));
    expect(await apply('all.yaml', ...SOURCE, '--confirm-within', '600')).toMatchObject({ status: 0 });
    const [{ id } = { id: '' }] = (await get<{ items: Change[] }>('/changes')).items;
    const change = await get<Change>(`/changes/${id}`);
    expect([change.state, change.managed_by]).toEqual(['awaiting_confirmation', MANAGED]);
    const [policy] = await list<Policy>('policies');
    expect((await post(`/policies/${policy?.id}/release`)).status).toBe(409);
    await post(`/changes/${id}/roll-back`, {});
    expect(await drive(id)).toBe('rolled_back');
    expect((await listManaged()).map(({ managed_by }) => managed_by)).toEqual(Array(7).fill(null));
  });
});
