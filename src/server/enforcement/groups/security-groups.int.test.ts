import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultTier } from '@/domain/policy/tier';
import type { SecurityGroup, SecurityGroupMember } from '@/domain/security-group';
import { db } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { policies } from '@/server/db/schema/policies';
import { workloads } from '@/server/db/schema/workloads';
import { newId } from '@/server/lib/ids';
import { auditTrail } from '@/test/audit-trail';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeProject, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

type Headers = Record<string, string>;
let admin: Headers;
let serial = 0;

beforeAll(async () => {
  admin = await bearer(await makeUser('security_engineer'));
});

async function json(path: string, init: Parameters<typeof call>[1] = {}, headers: Headers = admin) {
  const response = await call(path, { ...init, headers: { ...headers, ...init.headers } });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}
const create = async (input: object = {}, headers: Headers = admin): Promise<SecurityGroup> => {
  const { status, body } = await json('/security-groups', { body: { name: `group ${++serial}`, ...input } }, headers);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
const readMembers = async (id: string, headers: Headers = admin): Promise<SecurityGroupMember[]> =>
  (await json(`/security-groups/${id}/members`, {}, headers)).body.items;
const policyNaming = async (endpoint: string, tenant_id: string | null = null) => {
  const definition = {
    enforcement_mode: 'audit' as const,
    direction: 'in' as const,
    sources: ['any'],
    targets: [endpoint],
    default_action: 'none' as const,
  };
  await db.insert(policies).values({ name: `policy ${++serial}`, definition, tenant_id, tier: defaultTier(tenant_id) });
};

describe('security groups', () => {
  it('support create, read, update and delete, each with an audit record', async () => {
    const group = await create({ name: 'web', description: 'front ends' });
    expect(group).toMatchObject({
      name: 'web',
      tenant_id: null,
      members_total: 0,
      policies_total: 0,
      member_tags: [],
      version: 1,
    });
    const changed = await json(`/security-groups/${group.id}`, { method: 'PATCH', body: { name: 'webs', version: 1 } });
    expect(changed).toMatchObject({ status: 200, body: { name: 'webs', description: 'front ends', version: 2 } });
    const late = await json(`/security-groups/${group.id}`, { method: 'PATCH', body: { name: 'x', version: 1 } });
    expect(late).toMatchObject({ status: 409, body: { code: 'version_conflict', version: 2, given_version: 1 } });
    expect(await json(`/security-groups/${group.id}`, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await json(`/security-groups/${group.id}`)).toMatchObject({ status: 404 });
    const trail = await auditTrail(eq(auditRecords.object_id, group.id));
    expect(trail.map(({ action }) => action)).toEqual([
      'security_group.created',
      'security_group.updated',
      'security_group.deleted',
    ]);
  });

  it('have names of their own within a tenant', async () => {
    await create({ name: 'twice' });
    expect(await json('/security-groups', { body: { name: 'twice' } })).toMatchObject({
      status: 409,
      body: { code: 'conflict', errors: [{ field: 'name' }] },
    });
  });

  it('have each member once; the second time is a conflict, and the answer names the workload', async () => {
    const workload = await makeWorkload(await makeCluster(), null, { name: 'db-7' });
    const group = await create();
    const add = () => json(`/security-groups/${group.id}/members`, { body: { workload_id: workload.id } });
    expect(await add()).toMatchObject({
      status: 201,
      body: {
        security_group_id: group.id,
        workload_id: workload.id,
        workload_name: 'db-7',
        workload_external_id: workload.external_id,
        source: 'manual',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    });
    expect(await add()).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const both = await Promise.all([add(), add()]);
    expect(both.map(({ status }) => status)).toEqual([409, 409]);
    expect(await readMembers(group.id)).toHaveLength(1);
    const path = `/security-groups/${group.id}/members/${workload.id}`;
    expect(await json(path, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await json(path, { method: 'DELETE' })).toMatchObject({ status: 404 });
  });

  it('add and remove many members in one request, all or nothing', async () => {
    const cluster = await makeCluster();
    const [a, b, c] = [await makeWorkload(cluster), await makeWorkload(cluster), await makeWorkload(cluster)];
    const group = await create();
    const patch = (body: object) => json(`/security-groups/${group.id}/members`, { method: 'PATCH', body });
    expect(await patch({ add: [a.id, b.id] })).toMatchObject({ body: { added: 2, removed: 0, unchanged: 0 } });
    expect(await patch({ add: [b.id, c.id], remove: [a.id] })).toMatchObject({
      body: { added: 1, removed: 1, unchanged: 1 },
    });
    expect(await patch({ add: [a.id, newId()] })).toMatchObject({ status: 400, body: { errors: [{ field: 'add' }] } });
    expect((await readMembers(group.id)).map(({ workload_id }) => workload_id).sort()).toEqual([b.id, c.id].sort());
  });

  it('have members by tag as long as these have the tag', async () => {
    const cluster = await makeCluster();
    const tagged = await makeWorkload(cluster, null, { tags: ['edge', 'prod'] });
    await makeWorkload(cluster, null, { tags: ['edge'] });
    const group = await create({ member_tags: ['Edge', 'prod'], member_tags_match: 'all' });
    expect(group).toMatchObject({ member_tags: ['edge', 'prod'], members_total: 1 });
    expect(await readMembers(group.id)).toMatchObject([{ workload_id: tagged.id, source: 'tag', created_at: null }]);
    const path = `/security-groups/${group.id}/members/${tagged.id}`;
    expect(await json(path, { method: 'DELETE' })).toMatchObject({ status: 422 });
    const any = await json(`/security-groups/${group.id}`, { method: 'PATCH', body: { member_tags_match: 'any' } });
    expect(any.body.members_total).toBe(2);
    await db.update(workloads).set({ tags: [] }).where(eq(workloads.id, tagged.id));
    expect(await readMembers(group.id)).toHaveLength(1);
    const found = await json(`/security-groups?workload_id=${tagged.id}`);
    expect(found.body.total).toBe(0);
  });

  it.each([
    ['id', (group: SecurityGroup) => `sg:${group.id}`],
    ['name', (group: SecurityGroup) => `sg:${group.name}`],
  ])('return an error on delete while a policy names them by %s', async (_, endpoint) => {
    const group = await create();
    await policyNaming(endpoint(group));
    const usage = await json(`/security-groups/${group.id}/usage`);
    expect(usage.body).toMatchObject({
      policies: [{ references: [{ side: 'target', endpoint: endpoint(group) }], enforcement_mode: 'audit' }],
      hidden: 0,
    });
    expect(await json(`/security-groups/${group.id}`, { method: 'DELETE' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', used_by: { policies: [{ enabled: true }] } },
    });
  });

  it('keep a name by which a policy names them, and may change it when it is named by id', async () => {
    const [byName, byId] = [await create(), await create()];
    await policyNaming(`sg:${byName.name}`);
    await policyNaming(`sg:${byId.id}`);
    const rename = (id: string) =>
      json(`/security-groups/${id}`, { method: 'PATCH', body: { name: `new ${++serial}` } });
    expect(await rename(byName.id)).toMatchObject({ status: 409 });
    expect(await rename(byId.id)).toMatchObject({ status: 200, body: { policies_total: 1 } });
  });

  it('belong to one tenant and accept only workloads of that tenant', async () => {
    const { ours, theirs, cluster } = await makeTwoTenants('security_engineer');
    const group = await create({}, ours.headers);
    expect(group.tenant_id).toBe(ours.tenant.id);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'mine' }],
      ['DELETE', '', undefined],
      ['GET', '/members', undefined],
      ['GET', '/usage', undefined],
      ['POST', '/members', { workload_id: theirs.workload.id }],
      ['PATCH', '/members', { add: [theirs.workload.id] }],
      ['DELETE', `/members/${ours.workload.id}`, undefined],
    ] as const) {
      const answer = await json(`/security-groups/${group.id}${path}`, { method, body }, theirs.headers);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    const add = (id: string, headers: Headers) =>
      json(`/security-groups/${group.id}/members`, { body: { workload_id: id } }, headers);
    expect(await add(theirs.workload.id, ours.headers)).toMatchObject({ status: 400 });
    expect(await add(theirs.workload.id, admin)).toMatchObject({ status: 422 });
    expect(await add((await makeWorkload(cluster)).id, admin)).toMatchObject({ status: 422 });
    expect(await add(ours.workload.id, ours.headers)).toMatchObject({ status: 201 });
    const foreign = await json('/security-groups', { body: { name: 'x', tenant_id: theirs.tenant.id } }, ours.headers);
    expect(foreign).toMatchObject({ status: 400, body: { errors: [{ field: 'tenant_id' }] } });
    const listed = await json('/security-groups', {}, ours.headers);
    expect(listed.body.items.every((item: SecurityGroup) => item.tenant_id === ours.tenant.id)).toBe(true);
  });

  it('say nothing of a member that moved to another tenant, also when it is removed', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    const group = await create({}, ours.headers);
    const path = `/security-groups/${group.id}/members`;
    expect(await json(path, { body: { workload_id: ours.workload.id } }, ours.headers)).toMatchObject({ status: 201 });
    // Also not to policies of the platform that name the group.
    const resolved = async () => {
      const asked = { body: { endpoints: [`sg:${group.id}`], tenant_id: null } };
      return (await json('/policy-endpoints/resolve', asked, admin)).body.endpoints[0].workloads_total;
    };
    expect(await resolved()).toBe(1);
    const moved = { project_id: theirs.project.id, name: 'called otherwise there' };
    await db.update(workloads).set(moved).where(eq(workloads.id, ours.workload.id));
    const many = await json(path, { method: 'PATCH', body: { remove: [ours.workload.id] } }, ours.headers);
    expect(many).toMatchObject({ status: 200, body: { removed: 0 } });
    expect(await resolved()).toBe(0);
    expect(await json(`${path}/${ours.workload.id}`, { method: 'DELETE' }, ours.headers)).toMatchObject({
      status: 404,
    });
    const trail = await json(`/audit?object_id=${group.id}`, {}, await bearer(await makeUser('admin', ours.tenant)));
    expect(trail.body.items.length).toBeGreaterThan(0);
    expect(JSON.stringify(trail.body)).not.toContain('called otherwise there');
  });

  it('exclude tagged workloads of other tenants', async () => {
    const { ours, theirs, cluster } = await makeTwoTenants('security_engineer');
    const tags = [`t${++serial}`];
    const mine = await makeWorkload(cluster, ours.project, { tags });
    await makeWorkload(cluster, theirs.project, { tags });
    await makeWorkload(cluster, null, { tags });
    const group = await create({ member_tags: tags }, ours.headers);
    expect((await readMembers(group.id, ours.headers)).map(({ workload_id }) => workload_id)).toEqual([mine.id]);
    expect(await create({ member_tags: tags })).toMatchObject({ members_total: 3 });
  });

  it('list page by page with a constant number of queries', async () => {
    const project = await makeProject((await makeTwoTenants('viewer')).ours.tenant);
    expect(project.id).toBeDefined();
    const before = await countQueries(() => json('/security-groups?limit=2'));
    for (let i = 0; i < 4; i++) await create({ member_tags: ['edge'] });
    const after = await countQueries(() => json('/security-groups?limit=200'));
    expect(after.queries).toBe(before.queries);
    const names: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await json(`/security-groups?limit=3&sort=-members_total${cursor && `&cursor=${cursor}`}`);
      names.push(...body.items.map((item: SecurityGroup) => item.name));
      if (body.next_cursor === null) {
        expect(names).toHaveLength(body.total);
        break;
      }
      cursor = body.next_cursor;
    }
    expect(new Set(names).size).toBe(names.length);
  });
});
