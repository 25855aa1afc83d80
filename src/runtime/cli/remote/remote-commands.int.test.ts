import { describe, expect, it } from 'vitest';
import { readLive } from '@/server/enforcement/changes/rollout/testing/rollout-lab.fixture';
import { at, get, lab, post } from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { makeUser } from '@/test/factories';
import {
  apply,
  exportTo,
  fill,
  plan,
  prepareRemoteLab,
  run,
  setToken,
  signInAs,
  write,
} from './testing/remote-lab.fixture';

prepareRemoteLab();

describe('policies as code', () => {
  it('restores from a file what was deleted, byte for byte, and then has nothing to change', async () => {
    await fill();
    const before = await exportTo('all.yaml');
    expect(before).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(await plan('all.yaml')).toMatchObject({ status: 0, out: 'Nothing to change.' });
    const live = [100, 101, 102].map(readLive);

    await write('empty.yaml', 'version: 1\n');
    expect(await plan('empty.yaml')).toMatchObject({ status: 0 });
    const wiped = await plan('empty.yaml', '--prune');
    expect([wiped.status, wiped.out]).toEqual([2, expect.stringContaining('0 to create, 0 to change, 7 to delete')]);
    expect(await apply('empty.yaml', '--prune')).toMatchObject({ status: 0, err: '' });
    expect(await exportTo('wiped.yaml')).toMatch(/^#.*\nversion: 1\n$/);

    const restored = await apply('all.yaml');
    expect([restored.status, restored.err]).toEqual([0, '']);
    expect(restored.out).toContain('7 to create, 0 to change, 0 to delete');
    expect(await exportTo('again.yaml')).toBe(before);
    expect(await plan('all.yaml')).toMatchObject({ status: 0 });
    // The enforced policy of the file is live, in contrast to what was only stored before.
    expect([100, 101, 102].map(readLive)).not.toEqual(live);
  });

  it('shows what it changes, and changes nothing else', async () => {
    await fill();
    const text = await exportTo('all.yaml');
    const edited = text
      .replace('name: platform test', 'name: another test')
      .replace('description: |-\n      line\n      break', 'description: one line')
      .replace(/ {4}members:\n {6}- vmid:.*\/100\n/, '    members:\n');
    await write('all.yaml', edited);
    const { status, out } = await plan('all.yaml');
    expect(status).toBe(2);
    expect(out).toContain('+ policy test another test');
    expect(out).toContain('description: line�break → one line');
    expect(out).toMatch(/members: - vmid:.*\/100/);
    expect(out).toContain('Plan: 1 to create, 2 to change, 0 to delete.');
    const markdown = await plan('all.yaml', '--markdown');
    expect(markdown.out).toContain('### Fabric: 1 to create, 2 to change, 0 to delete\n\n```diff\n');
    const json = JSON.parse((await plan('all.yaml', '--json')).out);
    expect(json.operations).toHaveLength(3);
    expect(await apply('all.yaml')).toMatchObject({ status: 0 });
    expect(await plan('all.yaml')).toMatchObject({ status: 0 });
    const { items } = await get<{ items: { name: string }[] }>('/policy-tests?sort=name');
    expect(items.map(({ name }) => name)).toEqual(['another test', 'of a tenant', 'platform test']);
  });

  it('names file, line, column and field of every mistake, and stores nothing', async () => {
    const { group } = await fill();
    const before = await exportTo('before.yaml');
    const bad = `version: 1
security_groups:
  - name: web
    members: [vmid:nowhere/100, tag:x]
  - name: other
    tenant: Nobody
policies:
  - name: one
    definition:
      enforcement_mode: audit
      sources: [any]
      targets: [sg:${group.id}]
    rules:
      - action: accept
        protocol: tpc
  - name: two
    definition: { enforcement_mode: audit, sources: [any], targets: [any] }
  - name: two
    definition: { enforcement_mode: audit, sources: [any], targets: [any] }
`;
    await write('bad.yaml', bad);
    const first = await apply('bad.yaml');
    expect(first.status).toBe(1);
    expect(first.err).toMatch(/bad\.yaml:15:9: policies\.0\.rules\.0\.protocol: One of any, tcp/);
    await write('bad.yaml', bad.replace('tpc', 'tcp'));
    const second = await apply('bad.yaml');
    const lines = second.err.split('\n').map((line) => line.replace(/^.*bad\.yaml:/, ''));
    expect([second.status, lines.sort()]).toEqual([
      1,
      [
        expect.stringMatching(/^12:17: policies\.0\.definition\.targets\.0: .*Write the name/),
        expect.stringMatching(/^18:5: policies\.2\.name: two is in the list already, at number 2/),
        expect.stringMatching(/^4:15: security_groups\.0\.members\.0: vmid:nowhere\/100: No such workload/),
        expect.stringMatching(/^4:33: security_groups\.0\.members\.1: tag:x: Name a single workload/),
        expect.stringMatching(/^6:5: security_groups\.1\.tenant: The tenant Nobody was not found/),
      ],
    ]);
    expect(await exportTo('after.yaml')).toBe(before);
    expect(await get('/changes')).toMatchObject({ total: 0 });
  });

  it('keeps to a tenant, and neither shows nor deletes what belongs to others', async () => {
    const { tenant } = await fill();
    const all = await exportTo('all.yaml');
    await signInAs(await makeUser('security_engineer', tenant));
    const own = await exportTo('own.yaml');
    expect([own.includes('of a tenant'), own.includes('platform')]).toEqual([true, false]);
    await write('empty.yaml', 'version: 1\n');
    const { status, out } = await plan('empty.yaml', '--prune');
    expect([status, out]).toEqual([2, expect.stringContaining('0 to create, 0 to change, 3 to delete')]);
    await write('all.yaml', all.replace('name: platform\n', 'name: mine\n'));
    expect((await apply('all.yaml')).status).toBe(1);
    await signInAs(await makeUser('super_admin'));
    expect(await exportTo('again.yaml')).toBe(all);
    const limited = await exportTo('limited.yaml', '--tenant', tenant.name);
    expect(limited).toBe(own);
  });

  it('leaves a change in review where approval is required, and refuses an outdated plan', async () => {
    const { tenant } = await fill();
    await lab.sql`update tenants set approvals_required = 1, approval_scope = 'all' where id = ${tenant.id}`;
    const text = await exportTo('all.yaml');
    await write('all.yaml', text.replace('name: yes', 'name: "no"').replace('name: "yes"', 'name: "no"'));
    const { status, err, out } = await apply('all.yaml');
    expect([status, err, out]).toEqual([
      3,
      expect.stringContaining('in review: https://fabric.test/changes/'),
      expect.stringContaining('1 to create'),
    ]);
    const document = { version: 1, security_groups: [{ name: 'new' }] };
    const stale = await post<{ reason: string }>('/policy-file/change', { title: 'x', document, plan_hash: 'old' });
    expect([stale.status, stale.body.reason]).toEqual([409, 'plan_outdated']);
  });

  it('answers about tests, drift and reachability', async () => {
    await fill();
    expect(await run('drift')).toMatchObject({ status: 0, out: 'No open drift.' });
    expect(await run('test')).toMatchObject({ status: 1, out: expect.stringContaining('of 2 policy tests pass.') });
    expect(await run('reach', 'outside', at(100), 'x')).toMatchObject({ status: 1, err: /x is no port/ });
    expect((await run('reach', '192.0.2.1', at(100), '443')).out).toMatch(/^(yes|no|some|unknown)/);
    expect(await run('flows')).toMatchObject({ status: 0 });
    setToken('wrong');
    expect(await run('drift')).toMatchObject({ status: 1, out: '' });
  });
});
