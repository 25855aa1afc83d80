import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Policy } from '@/domain/policies';
import type { SecurityGroup } from '@/domain/security-group';
import { MOVED, makeMoves, requestAs, STAYS } from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  apply as applyPolicy,
  create,
  lab,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { clearSnapshotCaches } from '@/server/enforcement/guest-firewall/live-reader';
import { bearer, makeProject, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { drive, readLive, readRow, targets } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

type Who = () => Promise<{ authorization: string }>;
type Stored = { id: string; name: string; tenant_id: string | null; project_id: string | null };

/** What is stored of the policies, groups, tests and workloads of a test, by kind and name, with the owner. */
async function readObjects(tag: string): Promise<Map<string, Stored>> {
  const rows = await lab.sql<(Stored & { kind: string })[]>`
    select 'policy' as kind, id, name, tenant_id, project_id, definition::text as content, concat_ws(' ', priority, date_trunc('milliseconds', created_at)) as more,
      null as members from policies
    union all select 'group', id, name, tenant_id, project_id, description, array_to_string(member_tags, ','),
      (select string_agg(workload_id::text, ',' order by workload_id) from security_group_members
        where security_group_id = security_groups.id) from security_groups
    union all select 'policy test', id, name, tenant_id, project_id, array_to_string(ports, ','), null, null from policy_tests
    union all select 'workload', id, name, null::uuid, project_id, project_assigned_by, null, null from workloads
      where cluster_id = ${lab.cluster.id}`;
  const own = rows.filter(({ kind, name }) => kind === 'workload' || name.endsWith(tag));
  return new Map(own.map((row) => [`${row.kind} ${row.name}`, row]));
}

/** A change of objects with different owners that is rolled out, and what was there before. */
async function rollOut(settings: object = {}) {
  const { ours, theirs, root, assign } = await makeMoves();
  const [left, emptied, former] = [
    await makeProject(ours.tenant),
    await makeProject(ours.tenant),
    await makeProject(ours.tenant),
  ];
  await assign({ project: former }, [MOVED]);
  const post = <T extends { id: string }>(path: string, body: object): Promise<T> => requestAs<T>(root, path, body);
  const enforced = (vmid: number) => ({
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.20.22.0/24'],
      targets: [`vmid:${lab.cluster.id}/${vmid}`],
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  });
  const content = ({ definition, rules, tenant_id }: Policy) => ({
    ...{ definition, tenant_id },
    rules: rules.map(({ action, protocol, destination_ports }) => ({ action, protocol, destination_ports })),
  });
  const tag = `${Date.now()}`;
  const of = (project: { id: string }) => ({ tenant_id: ours.tenant.id, project_id: project.id });
  const edited = await create({ name: `edited ${tag}`, ...targets(100) });
  await applyPolicy(edited);
  const moved = await post<Policy>('/policies', { name: `moved ${tag}`, ...of(left), ...enforced(MOVED) });
  const gone = await post<Policy>('/policies', { name: `gone ${tag}`, ...of(emptied), ...enforced(MOVED) });
  const alone = await post<Policy>('/policies', {
    name: `alone ${tag}`,
    tenant_id: theirs.tenant.id,
    ...enforced(STAYS),
  });
  const workload_ids = [await lab.id(STAYS)];
  const wide = await post<SecurityGroup>('/security-groups', {
    name: `wide ${tag}`,
    tenant_id: ours.tenant.id,
    workload_ids,
  });
  const group = (name: string, project: { id: string }) =>
    post<SecurityGroup>('/security-groups', { name: `${name} ${tag}`, ...of(project) });
  const [lost, shifted] = [await group('lost', emptied), await group('shifted', left)];
  const check = { expect: 'deny', protocol: 'tcp', ports: ['9'], from: ['192.0.2.1'], to: ['192.0.2.2'] };
  const test = (name: string, owner: object) => post('/policy-tests', { ...check, name: `${name} ${tag}`, ...owner });
  const [deleted, changed] = [await test('deleted', of(emptied)), await test('changed', {})];
  const before = await readObjects(tag);
  const live = readLive(100);
  const items = [
    { kind: 'policy', policy_id: edited.id, policy: { ...content(edited), name: edited.name, priority: 7 } },
    {
      kind: 'policy',
      policy_id: moved.id,
      policy: { ...content(moved), name: moved.name, priority: 8, project_id: ours.project.id },
    },
    { kind: 'policy_delete', policy_id: gone.id },
    { kind: 'policy_delete', policy_id: alone.id },
    { kind: 'policy', policy: { ...content(edited), name: `new ${tag}` } },
    { kind: 'group_delete', group_id: lost.id },
    {
      kind: 'group',
      group_id: shifted.id,
      group: { name: shifted.name, description: 'new', project_id: ours.project.id },
    },
    { kind: 'group_members', group_id: wide.id, remove: workload_ids },
    { kind: 'policy_test_delete', policy_test_id: deleted.id },
    { kind: 'policy_test', policy_test_id: changed.id, test: { ...check, name: `changed ${tag}`, ports: ['10'] } },
    { kind: 'move', workload_ids: [await lab.id(MOVED)], project_id: ours.project.id },
  ];
  const { id, version } = await post<Change>('/changes', { title: `all ${tag}`, items, ...settings });
  await requestAs(root, `/changes/${id}/submit`, { version });
  const applicant = await makeUser('super_admin');
  await requestAs(() => bearer(applicant), `/changes/${id}/apply`, {});
  return { id, tag, before, live, applicant, state: await drive(id) };
}

/** Deletes everything of these kinds that may be deleted, until nothing more can be. */
async function deleteAll(who: Who, kinds: readonly string[], except: { id: string }): Promise<Set<string>> {
  const deleted = new Set<string>();
  for (let size = -1; size < deleted.size; ) {
    size = deleted.size;
    for (const kind of kinds) {
      const { items } = await requestAs<{ items: { id: string }[] }>(who, `/${kind}?limit=200`);
      for (const { id } of items) {
        if (id === except.id) continue;
        clearSnapshotCaches();
        const { status } = await call(`/${kind}/${id}`, { method: 'DELETE', headers: await who() });
        expect(status, `${kind} ${id}`).toBeLessThan(500);
        if (status < 300) deleted.add(id);
      }
    }
  }
  return deleted;
}

const KINDS = ['users', 'policies', 'security-groups', 'policy-tests', 'projects', 'tenants', 'clusters'];

describe('a rollback after objects were deleted', () => {
  it.each([
    ['nothing', []],
    ['users', ['users']],
    ['projects', ['projects']],
    ['projects and tenants', ['projects', 'tenants']],
    ['policies, groups and tests', ['policies', 'security-groups', 'policy-tests']],
    ['all but clusters', KINDS.slice(0, -1)],
    ['everything', KINDS],
  ])('ends, restores all that it can and names the rest: %s', async (_, kinds) => {
    const { id, tag, before, live, state } = await rollOut();
    expect(state).toBe('awaiting_confirmation');
    const admin = await makeUser('super_admin');
    const deleted = await deleteAll(() => bearer(admin), kinds, admin);
    await lab.sql`update changes set confirm_until = now() - interval '1 minute' where id = ${id}`;
    expect(await drive(id)).toBe('rolled_back');

    const after = await readObjects(tag);
    expect([...after.keys()].filter((name) => !before.has(name))).toEqual([]);
    const { problems } = await readRow(id);
    expect(new Set(problems.map(({ code }) => code))).toEqual(
      new Set(problems.length > 0 ? ['rollback_incomplete'] : []),
    );
    const isGone = (object: Stored) =>
      [object.id, object.tenant_id, object.project_id].some((one) => one !== null && deleted.has(one));
    const hasCluster = !deleted.has(lab.cluster.id);
    for (const [name, object] of before) {
      if (!hasCluster && name.startsWith('workload')) continue;
      const isNamed = problems.some(({ message }) => message.includes(object.name));
      expect.soft({ name, isNamed }).toEqual({ name, isNamed: isGone(object) });
      if (!isGone(object)) expect.soft(after.get(name)).toEqual(hasCluster ? object : { ...object, members: null });
    }
    if (hasCluster) expect(readLive(100)).toEqual(live);
  });

  it('continues the waves of someone who was deleted', async () => {
    const canaries = { by: 'workloads', workload_ids: [await lab.id(100)] };
    const { id, applicant, state } = await rollOut({ waves: { canaries, pause_seconds: null } });
    expect(state).toBe('applying');
    const admin = await makeUser('super_admin');
    const who = () => bearer(admin);
    await requestAs(who, `/users/${applicant.id}`, undefined, 'DELETE');
    await requestAs(who, `/changes/${id}/continue`, {});
    expect(await drive(id)).toBe('awaiting_confirmation');
    await requestAs(who, `/changes/${id}/roll-back`, {});
    expect(await drive(id)).toBe('rolled_back');
    expect((await readRow(id)).problems).toEqual([]);
  });
});
