import { describe, expect, it } from 'vitest';
import type { PolicyFilePlan } from '@/domain/policy-file/plan';
import { readLive } from '@/server/enforcement/changes/rollout/testing/rollout-lab.fixture';
import { get, lab, post, RULES } from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { apply, exportTo, interveneWith, plan, prepareRemoteLab, write } from './testing/remote-lab.fixture';

prepareRemoteLab();

const WEB = { enforcement_mode: 'enforced', sources: ['any'], targets: ['sg:web'] };

async function createGroup(...vmids: number[]): Promise<string> {
  const workload_ids = await Promise.all(vmids.map((vmid) => lab.id(vmid)));
  const { body } = await post<{ id: string }>('/security-groups', { name: 'web', workload_ids });
  return body.id;
}

const readMembers = async (id: string): Promise<number[]> =>
  (await get<{ items: { vmid: number }[] }>(`/security-groups/${id}/members`)).items.map(({ vmid }) => vmid).sort();

describe('members of which the workload is missing', () => {
  it('stay members when a file names them, and in the file that is exported', async () => {
    const group = await createGroup(100, 101);
    const before = await exportTo('all.yaml');
    await lab.sql`update workloads set missing_since = now() where id = ${await lab.id(101)}`;
    expect(await plan('all.yaml')).toMatchObject({ status: 0, out: 'Nothing to change.', err: '' });
    expect(await exportTo('missing.yaml')).toBe(before);

    await write('edited.yaml', before.replace('name: web\n', 'name: web\n    description: edited\n'));
    expect(await apply('edited.yaml')).toMatchObject({ status: 0, err: '' });
    expect(await readMembers(group)).toEqual([100, 101]);
    await write('fewer.yaml', (await exportTo('now.yaml')).replace(/ {6}- vmid:.*\/101\n/, ''));
    expect(await apply('fewer.yaml')).toMatchObject({ status: 0, err: '' });
    expect(await readMembers(group)).toEqual([100]);
  });
});

describe('the plan of a file', () => {
  it('has the hash of what it would do to workloads, not only of its edits', async () => {
    const group = await createGroup(100);
    const policies = RULES.map((rule) => ({ name: rule.action, definition: WEB, rules: [rule] }));
    const document = { version: 1, policies };
    const makePlan = async () => (await post<PolicyFilePlan>('/policy-file/plan', { document })).body;
    const { plan_hash } = await makePlan();
    expect((await makePlan()).plan_hash).toBe(plan_hash);
    await post(`/security-groups/${group}/members`, { workload_id: await lab.id(101) });
    expect((await makePlan()).plan_hash).not.toBe(plan_hash);
    const stale = await post<{ reason: string }>('/policy-file/change', { title: 'x', document, plan_hash });
    expect([stale.status, stale.body.reason]).toEqual([409, 'plan_outdated']);
    expect(await get('/changes')).toMatchObject({ total: 0 });
  });

  it.each([
    ['policy-file/change', /^\/policy-file\/change$/],
    ['difference', /\/difference\b/],
    ['submit', /\/submit$/],
    ['apply', /\/apply$/],
  ])('refuses to apply when a member is added before the request %s', async (_, path) => {
    const group = await createGroup(100);
    await write('all.yaml', JSON.stringify({ version: 1, policies: [{ name: 'web', definition: WEB, rules: RULES }] }));
    const live = [100, 101].map(readLive);
    let isAdded = false;
    interveneWith({
      request: async (__, asked) => {
        if (isAdded || !path.test(asked)) return;
        isAdded = true;
        await post(`/security-groups/${group}/members`, { workload_id: await lab.id(101) });
      },
    });
    const refused = await apply('all.yaml');
    expect([refused.status, isAdded]).toEqual([1, true]);
    expect(refused.err).toMatch(/plan again/);
    const { items } = await get<{ items: { state: string }[] }>('/changes');
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(items.length > 0 ? ['withdrawn'] : []));
    expect([100, 101].map(readLive)).toEqual(live);
    expect(await apply('all.yaml')).toMatchObject({ status: 0, err: '' });
    expect([100, 101].map(readLive)).not.toEqual(live);
  });
});
